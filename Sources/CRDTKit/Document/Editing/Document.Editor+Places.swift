extension Document.Editor {
  /// Where a field stands: its place, its name, and the rules of what is beneath.
  struct Target {
    let place: Document.Place
    let name: String
    let rules: RuleTree?
    /// The rule that the field is written under, whatever its own.
    var override: FieldRule?

    var rule: FieldRule { override ?? rules?.rule ?? .lastWriterWins }
    /// Whether nothing says how the field is merged, so that what stands in it decides.
    var isOpen: Bool { override == nil && rules?.rule == nil }
    /// The field as one whose type is a set: it is merged as one, unless a rule says how.
    var ofSet: Target {
      guard isOpen else { return self }
      var target = self
      target.override = .set
      return target
    }
    var key: Document.RowKey { Document.RowKey(place, .field(name)) }
    var path: FieldPath { place.path.appending(name) }
    /// The place of what stands beneath the field.
    var beneath: Document.Place { place.appending(name) }

    /// The field of a name beneath this one.
    func field(_ name: String, in beneath: Document.Place) -> Target {
      Target(place: beneath, name: name, rules: rules?.beneath(name))
    }
  }

  func row(
    _ key: Document.RowKey, _ content: Document.RowPayload.Content
  ) -> Row<Document.RowKey, Document.RowPayload> {
    Self.row(key, content, at: timestamp)
  }

  static func row(
    _ key: Document.RowKey, _ content: Document.RowPayload.Content, at timestamp: HybridTimestamp
  ) -> Row<Document.RowKey, Document.RowPayload> {
    Row(key: key, payload: Document.RowPayload(content, at: timestamp.time))
  }

  /// The field that a path leads to: the record and the objects on the way are
  /// there afterwards.
  ///
  /// - Precondition: The path has 1 to 32 names, none longer than 1,024 bytes.
  mutating func open(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Target {
    let names = path.names
    precondition(
      (1...Document.Value.depthMax).contains(names.count), "a path of \(names.count) names")
    precondition(
      !names.contains { $0.isLongName },
      "a name of more than \(Document.Value.nameLengthMax) bytes")
    let place = openRecord(record, in: collection)
    if names.count == 1 {
      // What is done to the field may take away the object that was changed last.
      if let outermost = object?.names.first, KeyIdentity.areSame(outermost, names[0]) {
        object = nil
      }
      return Target(
        place: place, name: names[0], rules: collectionRules?.rules?.beneath(names[0]))
    }
    let (outer, name) = (names.dropLast(), names[names.count - 1])
    if object?.names != outer { openObjects(outer, in: place) }
    return Target(
      place: object?.place ?? place, name: name, rules: object?.rules?.beneath(name))
  }

  /// The field that a path leads to, if the record is there and all on the way show
  /// objects; nothing is made.
  mutating func find(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Target? {
    guard let last = path.names.last, contains(record, in: collection) else { return nil }
    var place = Document.Place(record: record, in: collection, near: self.record)
    var rules = schema.collections[collection]?.rules
    for name in path.names.dropLast() {
      rules = rules?.beneath(name)
      let target = Target(place: place, name: name, rules: rules)
      guard case .object? = rows(of: target).shown(under: target.rule) else { return nil }
      place = target.beneath
    }
    return Target(place: place, name: last, rules: rules?.beneath(last))
  }

  private mutating func openObjects(_ names: ArraySlice<String>, in record: Document.Place) {
    var place = record
    var rules = collectionRules?.rules
    for name in names {
      rules = rules?.beneath(name)
      let target = Target(place: place, name: name, rules: rules)
      place = openObject(at: target)
    }
    object = (names, place, rules)
  }

  /// The record, created where there is none and restored where it was deleted.
  mutating func openRecord(_ record: String, in collection: String) -> Document.Place {
    if let open = self.record, KeyIdentity.areSame(open.record, record),
      KeyIdentity.areSame(open.collection, collection)
    {
      return open
    }
    precondition(
      !record.isLongName && !collection.isLongName,
      "a name of more than \(Document.Value.nameLengthMax) bytes")
    noteOpenRecord()
    isNewRecord = false
    var place = Document.Place(record: record, in: collection, near: self.record)
    let existence = Document.RowKey(place, .existence)
    let dots = dots(of: existence)
    if let first = dots.first {
      if let shared = table.row(at: first)?.key.place { place = shared }
      removeAll(of: Document.RowKey(place, .deletion))
    } else {
      // What a purge has left of a record of this name must not show in this one.
      let left = dotsWithin(place)
      table.write(row(existence, .object), by: replica, killing: left.filter { !isOfCounter($0) })
      if left.contains(where: { isOfCounter($0) }) { clear(left) }
      isNewRecord = true
    }
    if self.record?.collection != place.collection {
      collectionRules = schema.collections[place.collection]
    }
    self.record = place
    object = nil
    return place
  }

  private func isOfCounter(_ dot: Dot) -> Bool {
    table.row(at: dot)?.payload.content.isCounter == true
  }

  /// The dots of all rows of a record or object that are seen.
  mutating func dotsWithin(_ place: Document.Place) -> ContiguousArray<Dot> {
    table.prepareGroups()
    return seen(table.dots(under: place.hash) { $0.place.isWithin(place) })
  }

  /// The rows of a field that are seen, for a change that follows.
  mutating func rows(of target: Target) -> Document.FieldRows {
    var rows = Document.FieldRows(dots(of: target.key), of: table)
    rows.hasElements = hasLooseElements(rows, at: target)
    return rows
  }

  /// Whether there are elements of a set without a row that says that it is one:
  /// they were inserted while the field was replaced or removed.
  private mutating func hasLooseElements(
    _ rows: Document.FieldRows, at target: Target
  ) -> Bool {
    guard rows.mayHaveLooseElements(at: target) else { return false }
    return hasElements(beneath: target)
  }

  /// Whether elements of a set stand beneath a field, as far as they are seen.
  mutating func hasElements(beneath target: Target) -> Bool {
    let place = target.beneath
    return dotsWithin(place).contains { table.row(at: $0)?.key.isElement(of: place) == true }
  }

  /// Whether a field reads as a set, what isn't seen counted in.
  mutating func readsAsSet(_ target: Target) -> Bool {
    guard target.isOpen else { return target.rule == .set }
    var rows = Document.FieldRows(table.dotsForChange(of: target.key), of: table)
    if rows.mayHaveLooseElements(at: target) {
      table.prepareGroups()
      let place = target.beneath
      rows.hasElements = !table.dots(under: place.hash) { $0.isElement(of: place) }.isEmpty
    }
    return rows.rule(at: target) == .set
  }

  /// Makes sure that a field shows an object, and gives its place.
  ///
  /// One that is made is empty: what was written beneath the field while it held
  /// something else, or nothing, goes. What else was written concurrently stays,
  /// unless the object is to be alone.
  mutating func openObject(at target: Target, isAlone: Bool = false) -> Document.Place {
    let hasElements = target.rule == .set && rows(of: target).hasElements
    var counter: CounterRows?
    var mayHoldMore = false
    let (timestamp, isNewRecord) = (timestamp, isNewRecord)
    let isWritten = rewrite(target.key) { table, dots in
      var rows = Document.FieldRows(dots, of: table)
      rows.hasElements = hasElements
      let isObject = if case .object? = rows.shown(under: target.rule) { true } else { false }
      if isObject, !isAlone || rows.isObjectAlone { return nil }
      counter = rows.counter
      mayHoldMore = !isObject && !(dots.isEmpty && isNewRecord)
      return Self.row(target.key, .object, at: timestamp)
    }
    guard isWritten else { return target.beneath }
    if mayHoldMore { clear(dotsWithin(target.beneath)) }
    if let counter { forget(counter, at: target) }
    return target.beneath
  }

  /// Leaves a trace of counter rows that were replaced: what replicas count on top
  /// of them elsewhere begins there.
  mutating func forget(_ counter: CounterRows, at target: Target) {
    let rows = counter.forgotten
    table.write(row(target.key, .counter(rows)), by: replica, killing: ContiguousArray<Dot>())
  }
}
