extension Document {
  /// Makes changes to a document as one replica, at one time.
  ///
  /// An editor is given to the body of ``Document/edit(at:_:)``:
  ///
  ///     notes.edit(at: stamp) { edit in
  ///       edit.set("title", of: "n1", in: "notes", to: "Moon")
  ///       edit.insert("story", into: "tags", of: "n1", in: "notes")
  ///     }
  ///
  /// Whoever changes a field of a record that there isn't creates the record, and
  /// of one that was deleted restores it. Objects that a path leads through are
  /// made where they are missing.
  public struct Editor: ~Copyable {
    var table: DotTable<RowKey, RowPayload>
    let schema: Schema
    /// The stamp of all changes; within what is taken in of an authority, of those that are
    /// made there.
    public internal(set) var timestamp: HybridTimestamp

    /// The record that was changed last: it is known to exist.
    var record: Place?
    /// Whether that record was created by this edit.
    var isNewRecord = false
    /// The rules of its collection.
    var collectionRules: Schema.Collection?
    /// The object of it that was changed last.
    var object: (names: ArraySlice<String>, place: Place, rules: RuleTree?)?

    /// Which events the changes take for seen; all, where there is none.
    var isSeen: ((Dot) -> Bool)?
    /// How many events the replica had made before the edit: what came after is seen.
    let eventsBefore: UInt64

    /// The records that were changed before the one that was changed last.
    var changedPlaces = RecordPlaces()
    /// How many events there were when it was last noted what they changed.
    var notedEvents: UInt64

    init(_ table: DotTable<RowKey, RowPayload>, schema: Schema, timestamp: HybridTimestamp) {
      self.table = table
      notedEvents = table.eventCount
      eventsBefore = table.seen(of: timestamp.replica)
      self.schema = schema
      self.timestamp = timestamp
    }

    /// The replica that makes the changes.
    public var replica: ReplicaID { timestamp.replica }
  }
}

extension Document {
  /// Makes changes as the stamp's replica, and gives the delta of them all.
  ///
  /// Take the stamp from the replica's ``HybridLogicalClock``, which has received
  /// the stamps of what was merged: then it is greater than those of the values
  /// that the changes replace.
  ///
  /// Each change takes effect at once. If the body throws, what it did before
  /// stays done; ``DeltaMergeable/delta(since:)`` gives it.
  ///
  /// - Complexity: O(number of replicas + what the body does).
  @discardableResult
  public mutating func edit(
    at timestamp: HybridTimestamp, _ body: (inout Editor) throws -> Void
  ) rethrows -> TableDelta<Document> {
    let before = table.version
    try withEditor(at: timestamp, body)
    return TableDelta(table.editDelta(since: before, by: timestamp.replica))
  }

  /// Runs the body on an editor, without making a delta.
  mutating func withEditor<Result>(
    at timestamp: HybridTimestamp, _ body: (inout Editor) throws -> Result
  ) rethrows -> Result {
    // The editor alone holds the table meanwhile, so changes are made in place.
    var editor = Editor(table, schema: schema, timestamp: timestamp)
    table = DotTable()
    defer { table = editor.table }
    return try body(&editor)
  }
}

extension Document.Editor {
  /// The value of a field as it is after the changes so far; `nil` where the field, or
  /// the record, is absent.
  ///
  /// - Complexity: As ``Document/value(of:of:in:)``.
  public mutating func value(
    of path: FieldPath, of record: String, in collection: String
  ) -> Document.Value? {
    withDocument { $0.value(of: path, of: record, in: collection) }
  }

  /// The fields of a record as they are after the changes so far; `nil` where there is
  /// no record.
  ///
  /// - Complexity: O(rows of the record).
  public mutating func fields(
    of record: String, in collection: String
  ) -> [String: Document.Value]? {
    withDocument { $0.fields(of: record, in: collection) }
  }

  /// The names of a collection's records after the changes so far, in the order of
  /// their bytes.
  ///
  /// - Complexity: As ``Document/records(in:)``.
  public mutating func records(in collection: String) -> [String] {
    withDocument { $0.records(in: collection) }
  }

  /// A record as a model, after the changes so far; `nil` where there is no record.
  ///
  /// - Throws: What ``Document/read(_:_:in:)`` throws.
  /// - Complexity: O(rows of the record).
  public mutating func read<Model: Decodable>(
    _ type: Model.Type, _ record: String, in collection: String
  ) throws -> Model? {
    try withDocument { try $0.read(type, record, in: collection) }
  }

  /// Reads the table as a document that alone holds it meanwhile, so that the next
  /// change copies nothing.
  private mutating func withDocument<Result>(
    _ read: (Document) throws -> Result
  ) rethrows -> Result {
    var document = Document(schema: schema)
    swap(&document.table, &table)
    defer { swap(&document.table, &table) }
    return try read(document)
  }
}

extension Document.Editor {
  /// Whether there is a record that wasn't deleted.
  public mutating func contains(_ record: String, in collection: String) -> Bool {
    state(of: Document.Place(record: record, in: collection, near: self.record)).isPresent
  }

  private mutating func state(of place: Document.Place) -> Document.RecordState {
    // Only a deleted record is looked at row by row.
    if !table.dotsForChange(of: Document.RowKey(place, .deletion)).isEmpty {
      table.prepareGroups()
    }
    let rule = schema.collections[place.collection]?.deletion ?? .updateWins
    return table.state(of: place, under: rule, seeing: isSeen)
  }

  /// Deletes a record; says whether there was one.
  ///
  /// It can be restored until it is purged. Whether a change made concurrently
  /// keeps it is for the collection's ``DeletionRule`` to say.
  ///
  /// - Complexity: Expected O(rows of the record).
  @discardableResult
  public mutating func delete(_ record: String, in collection: String) -> Bool {
    let place = Document.Place(record: record, in: collection, near: self.record)
    guard state(of: place).isPresent else { return false }
    noteOpenRecord()
    let deletion = row(Document.RowKey(place, .deletion), .deletion(versionSeen(of: place)))
    rewrite(deletion.key) { _, _ in deletion }
    noteChanges(of: place)
    self.record = nil
    return true
  }

  /// Brings a deleted record back as it was; says whether there was one.
  @discardableResult
  public mutating func restore(_ record: String, in collection: String) -> Bool {
    let place = Document.Place(record: record, in: collection, near: self.record)
    guard case .deleted = state(of: place) else { return false }
    noteOpenRecord()
    removeAll(of: Document.RowKey(place, .deletion))
    noteChanges(of: place)
    return true
  }
}

extension Document.Editor {
  /// Writes anew what the rows of a delta say, as changes made now: for deltas that
  /// can't be taken in any more, since what they build on is lost.
  ///
  /// Values, elements, records and deletions are written; what replicas had counted
  /// is not, since how much of it is known already can't be told.
  ///
  /// - Returns: Whether all rows could be written anew.
  /// - Complexity: O(rows of the delta), each as an edit.
  package mutating func rewrite(_ delta: TableDelta<Document>) -> Bool {
    var isWhole = true
    for column in delta.changes.columns where column.seen > delta.changes.base[column.replica] {
      column.forEachRow { _, row in
        if !rewrite(row) { isWhole = false }
      }
    }
    return isWhole
  }

  private mutating func rewrite(_ row: Row<Document.RowKey, Document.RowPayload>) -> Bool {
    let place = row.key.place
    switch (row.key.part, row.payload.content) {
    case (.existence, _):
      create(place.record, in: place.collection)
    case (.deletion, _):
      delete(place.record, in: place.collection)
    case (.field(let name), .value(let value)), (.field(let name), .revision(let value, of: _)):
      set(place.path.appending(name), of: place.record, in: place.collection, to: value)
    case (.element(let element), _) where !place.path.names.isEmpty:
      insert(element, into: place.path, of: place.record, in: place.collection)
    case (.field, .object), (.field, .set):
      // What stands beneath has rows of its own, which make them.
      break
    case (.element, _), (.field, _):
      return false
    }
    return true
  }
}
