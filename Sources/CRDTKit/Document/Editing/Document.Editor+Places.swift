extension Document.Editor {
  /// A field to change: its place, its name, and the rules beneath it.
  struct Target {
    let place: Document.Place
    let name: String
    let rules: RuleTree?
    /// A rule that replaces the field's own.
    var override: Schema.FieldRule?

    var rule: Schema.FieldRule { override ?? rules?.rule ?? .lastWriterWins }
    /// Whether no rule is given, so that the field's content decides how it is merged.
    var isOpen: Bool { override == nil && rules?.rule == nil }
    /// The field for a value of a set type: it is merged as a set, unless a rule is
    /// given.
    var ofSet: Target {
      guard isOpen else { return self }
      var target = self
      target.override = .set
      return target
    }
    var key: Document.RowKey { Document.RowKey(place, .field(name)) }
    var path: FieldPath { place.path.appending(name) }
    /// The place of the field's content.
    var beneath: Document.Place { place.appending(name) }

    /// The field with a name within this one.
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

  /// The field at a path; the record and the objects on the way are created if they are
  /// missing.
  ///
  /// - Precondition: The path has 1 to 32 names, none longer than 1,024 bytes.
  mutating func open(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Target {
    let names = path.names
    precondition(
      (1...Document.Value.maximumDepth).contains(names.count), "a path of \(names.count) names")
    precondition(
      !names.contains { $0.isLongName },
      "a name of more than \(Document.Value.maximumNameLength) bytes")
    let place = openRecord(record, in: collection)
    if names.count == 1 {
      // A change of the field may remove the object that was changed last.
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

  /// The field at a path, if the record exists and all fields on the way show objects;
  /// nothing is created.
  mutating func find(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Target? {
    guard let last = path.names.last, contains(record, in: collection) else { return nil }
    var place = Document.Place(record: record, in: collection, near: self.record)
    var rules = schema.collections[collection]?.rules
    for name in path.names.dropLast() {
      rules = rules?.beneath(name)
      let target = Target(place: place, name: name, rules: rules)
      guard rows(of: target).shown(at: target)?.holdsFields == true else { return nil }
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

  /// The record's place; the record is created if it is missing, and restored if it was
  /// deleted.
  mutating func openRecord(_ record: String, in collection: String) -> Document.Place {
    if let open = self.record, KeyIdentity.areSame(open.record, record),
      KeyIdentity.areSame(open.collection, collection)
    {
      return open
    }
    precondition(
      !record.isLongName && !collection.isLongName,
      "a name of more than \(Document.Value.maximumNameLength) bytes")
    noteOpenRecord()
    isNewRecord = false
    let name = Document.RecordName(record, in: collection, near: self.record)
    _ = table.prepareIndex()
    let rows = table.rows(of: name, seeing: isSeen)
    let place = rows.existence?.place ?? Document.Place(name)
    if rows.existence != nil {
      if !rows.deletions.isEmpty { table.remove(rows.deletions, by: replica) }
    } else {
      // Remains of a purged record of this name must not show in the new one.
      let left = dotsWithin(place)
      removeTexts(among: left)
      table.write(
        row(Document.RowKey(place, .existence), .object), by: replica,
        killing: removedRows(among: left))
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

  /// The dots of all seen rows of a record or object.
  mutating func dotsWithin(_ place: Document.Place) -> ContiguousArray<Dot> {
    table.prepareGroups()
    return seen(table.dots(under: place.hash) { $0.place.isWithin(place) })
  }

  /// The seen rows of a field, for a change that follows.
  mutating func rows(of target: Target) -> Document.FieldRows {
    _ = table.prepareIndex()
    var rows = Document.FieldRows(of: target.key, in: table, seeing: isSeen)
    rows.hasElements = hasLooseElements(rows, at: target)
    return rows
  }

  /// The rows of a field, seen or not, for a change that follows.
  mutating func allRows(of target: Target) -> Document.FieldRows {
    _ = table.prepareIndex()
    return Document.FieldRows(of: target.key, in: table)
  }

  /// Whether there are elements of a set without a row for the set.
  ///
  /// They were inserted concurrently with a replacement or removal of the field.
  private mutating func hasLooseElements(
    _ rows: Document.FieldRows, at target: Target
  ) -> Bool {
    guard rows.mayHaveLooseElements(at: target) else { return false }
    return hasElements(beneath: target)
  }

  /// Whether there are seen elements of a set beneath a field.
  mutating func hasElements(beneath target: Target) -> Bool {
    let place = target.beneath
    return dotsWithin(place).contains { table.row(at: $0)?.key.isElement(of: place) == true }
  }

  /// The rule under which a field is read, including rows that are not seen.
  mutating func readingRule(of target: Target) -> Schema.FieldRule {
    guard target.isOpen else { return target.rule }
    var rows = allRows(of: target)
    if rows.mayHaveLooseElements(at: target) {
      table.prepareGroups()
      let place = target.beneath
      rows.hasElements = !table.dots(under: place.hash) { $0.isElement(of: place) }.isEmpty
    }
    return rows.rule(at: target)
  }

  /// Makes a field show an object, and returns the object's place; a list holds fields as
  /// well, and stays one unless `isAlone` is set.
  ///
  /// A new object is empty: rows that were written beneath the field while it held
  /// something else, or nothing, are removed. Other concurrent values stay, unless
  /// `isAlone` is set.
  mutating func openObject(at target: Target, isAlone: Bool = false) -> Document.Place {
    if !isAlone, target.rule == .list {
      // An array that was written before, or nothing, becomes a list.
      switch rows(of: target).shown(at: target) {
      case .value(.array)?, nil: return openList(target)
      default: break
      }
    }
    let hasElements = target.rule == .set && rows(of: target).hasElements
    var counter: CounterRows?
    var texts: ContiguousArray<Dot> = []
    var mayHoldMore = false
    let (timestamp, isNewRecord) = (timestamp, isNewRecord)
    let isWritten = rewrite(target.key) { table, dots in
      var rows = Document.FieldRows(dots, of: table)
      rows.hasElements = hasElements
      let isObject = if case .object? = rows.shown(under: target.rule) { true } else { false }
      if isObject, !isAlone || rows.isObjectAlone { return nil }
      if !isAlone, case .list? = rows.shown(at: target) { return nil }
      counter = rows.counter
      texts = rows.textStarts
      mayHoldMore = !isObject && !(dots.isEmpty && isNewRecord)
      return Self.row(target.key, .object, at: timestamp)
    }
    guard isWritten else { return target.beneath }
    if mayHoldMore { clear(dotsWithin(target.beneath)) }
    if let counter { forget(counter, at: target) }
    removeTexts(texts, of: target.key)
    return target.beneath
  }

  /// Leaves a trace of replaced counter rows, from which counts on top of them on other
  /// replicas start.
  mutating func forget(_ counter: CounterRows, at target: Target) {
    let rows = counter.forgotten
    table.write(row(target.key, .counter(rows)), by: replica, killing: ContiguousArray<Dot>())
  }
}
