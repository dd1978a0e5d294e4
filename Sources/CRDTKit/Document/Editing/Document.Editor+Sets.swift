extension Document.Editor {
  /// Adds an element to a set, or renews it, so that a concurrent removal does not
  /// take it away; says whether it wasn't there.
  ///
  /// The field should have the rule ``FieldRule/set``.
  @discardableResult
  public mutating func insert(
    _ element: Document.Value, into path: FieldPath, of record: String, in collection: String
  ) -> Bool {
    let target = open(path, of: record, in: collection)
    let place = openSet(target)
    return !table.replace(
      Document.RowKey(place, .element(element)), with: member, by: replica)
  }

  /// Removes an element from a set as far as it was seen; says whether it was
  /// there.
  @discardableResult
  public mutating func remove(
    _ element: Document.Value, from path: FieldPath, of record: String, in collection: String
  ) -> Bool {
    guard contains(record, in: collection) else { return false }
    let target = open(path, of: record, in: collection)
    let place = openSet(target)
    return table.removeAll(of: Document.RowKey(place, .element(element)), by: replica)
  }

  private var member: Document.RowPayload {
    Document.RowPayload(.member, at: timestamp.time)
  }

  /// Makes sure that a field shows a set; a plain array that was written before
  /// becomes its elements.
  private mutating func openSet(_ target: Target) -> Document.Place {
    let rows = Document.FieldRows(table.dotsForChange(of: target.key), of: table)
    var elements: [Document.Value] = []
    if case .value(.array(let old))? = rows.shown(under: .set) { elements = old }
    let place = openContainer(.set, at: target)
    for element in elements {
      table.replace(Document.RowKey(place, .element(element)), with: member, by: replica)
    }
    return place
  }

  /// Adds and removes so much that a set shows just these elements; says whether
  /// it had to.
  mutating func assignSet(_ elements: [Document.Value], to target: Target) -> Bool {
    let before = table.eventCount
    let place = openSet(target)
    var missing = Set(elements)
    var gone: ContiguousArray<Dot> = []
    for dot in dotsWithin(place) {
      guard let key = table.row(at: dot)?.key, case .element(let element) = key.part,
        key.place == place
      else { continue }
      if elements.contains(element) { missing.remove(element) } else { gone.append(dot) }
    }
    if !gone.isEmpty { table.remove(gone, by: replica) }
    for element in elements where missing.remove(element) != nil {
      table.replace(Document.RowKey(place, .element(element)), with: member, by: replica)
    }
    return table.eventCount != before
  }
}
