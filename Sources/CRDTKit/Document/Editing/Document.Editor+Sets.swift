extension Document.Editor {
  /// Adds an element to a set, and returns whether it was missing.
  ///
  /// If the element is present, it is written again, so that a concurrent removal does
  /// not remove it. The field should have the rule ``Schema/FieldRule/set``.
  ///
  /// - Precondition: The path and the element have at most 32 levels together.
  @discardableResult
  public mutating func insert(
    _ element: Document.Value, into path: FieldPath, of record: String, in collection: String
  ) -> Bool {
    Document.Value.requireRoom(for: element, at: path)
    let target = open(path, of: record, in: collection)
    let place = openSet(target)
    return !writeMember(Document.RowKey(place, .element(element)))
  }

  /// Removes the seen insertions of an element from a set, and returns whether it was
  /// there.
  @discardableResult
  public mutating func remove(
    _ element: Document.Value, from path: FieldPath, of record: String, in collection: String
  ) -> Bool {
    guard let target = find(path, of: record, in: collection) else { return false }
    let key = Document.RowKey(target.beneath, .element(element))
    let rows = rows(of: target)
    var isMember = false
    if case .set? = rows.shown(at: target) {
      isMember = !dots(of: key).isEmpty
    }
    guard isMember || rows.plainElements(at: target).contains(element) else { return false }
    _ = openRecord(record, in: collection)
    object = nil
    _ = openSet(target)
    removeAll(of: key)
    return true
  }

  /// Writes that an element is in a set, and returns whether it was.
  @discardableResult
  mutating func writeMember(_ key: Document.RowKey) -> Bool {
    let timestamp = timestamp
    var wasThere = false
    rewrite(key) { _, dots in
      wasThere = !dots.isEmpty
      return Self.row(key, .member, at: timestamp)
    }
    return wasThere
  }

  /// Makes a field a set and nothing else; an array that was written before or
  /// concurrently becomes elements.
  mutating func openSet(_ target: Target) -> Document.Place {
    let place = target.beneath
    let rows = rows(of: target)
    if rows.isSetAlone { return place }
    let isSet = if case .set? = rows.shown(at: target) { true } else { false }
    var elements = rows.plainElements(at: target)
    if case .list? = rows.shown(under: .list) {
      elements += self.elements(ofListAt: target).map(\.value)
    }
    table.write(row(target.key, .set), by: replica, killing: dots(of: target.key))
    if let counter = rows.counter { forget(counter, at: target) }
    removeTexts(rows.textStarts, of: target.key)
    if !isSet { clear(dotsWithin(place)) }
    for element in elements {
      let key = Document.RowKey(place, .element(element))
      if dots(of: key).isEmpty { writeMember(key) }
    }
    return place
  }

  /// Applies the difference of two arrays to a set, and returns whether the set changed.
  mutating func change(
    _ target: Target, from old: [Document.Value], to new: [Document.Value]
  ) -> Bool {
    let before = table.eventCount
    let place = openSet(target)
    let (had, has) = (Set(old), Set(new))
    for element in old where !has.contains(element) {
      removeAll(of: Document.RowKey(place, .element(element)))
    }
    for element in new where !had.contains(element) {
      writeMember(Document.RowKey(place, .element(element)))
    }
    return table.eventCount != before
  }

  /// Adds and removes elements until a set shows exactly these; returns whether it
  /// changed.
  mutating func assignSet(_ elements: [Document.Value], to target: Target) -> Bool {
    let before = table.eventCount
    let place = openSet(target)
    let wanted = Set(elements)
    var missing = wanted
    var gone: ContiguousArray<Dot> = []
    for dot in dotsWithin(place) {
      guard let key = table.row(at: dot)?.key, case .element(let element) = key.part,
        key.place == place
      else { continue }
      if wanted.contains(element) { missing.remove(element) } else { gone.append(dot) }
    }
    if !gone.isEmpty { table.remove(gone, by: replica) }
    for element in elements where missing.remove(element) != nil {
      writeMember(Document.RowKey(place, .element(element)))
    }
    return table.eventCount != before
  }
}
