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
  /// Changing a field of a record creates the record if it does not exist, and restores
  /// it if it was deleted. Missing objects along a path are created.
  public struct Editor: ~Copyable {
    var table: DotTable<RowKey, RowPayload>
    let schema: Schema
    /// The stamp of all changes; while an authority's changes are applied, the stamp of
    /// those.
    public internal(set) var timestamp: HybridTimestamp

    /// The record that was changed last, and therefore exists.
    var record: Place?
    /// Whether that record was created by this edit.
    var isNewRecord = false
    /// The rules of its collection.
    var collectionRules: Schema.Collection?
    /// The object in it that was changed last.
    var object: (names: ArraySlice<String>, place: Place, rules: RuleTree?)?

    /// Tells whether the changes have seen an event; `nil` if they have seen all.
    var isSeen: ((Dot) -> Bool)?
    /// The number of the replica's events before the edit; later ones are always seen.
    let eventsBefore: UInt64

    /// The rows that undos have put back.
    package var putBack = PutBackRows()

    /// The records that were changed before the current one.
    var changedPlaces = RecordPlaces()
    /// The number of events when changes were last noted.
    var notedEvents: UInt64

    /// Creates an editor that takes a table, and leaves an empty one, so that changes are made
    /// in place.
    init(
      taking other: inout DotTable<RowKey, RowPayload>, schema: Schema,
      timestamp: HybridTimestamp
    ) {
      notedEvents = other.eventCount
      eventsBefore = other.seen(of: timestamp.replica)
      table = DotTable()
      swap(&table, &other)
      self.schema = schema
      self.timestamp = timestamp
    }

    /// The replica that makes the changes.
    public var replica: ReplicaID { timestamp.replica }
  }
}

extension Document {
  /// Makes changes as the stamp's replica, and returns their delta.
  ///
  /// Take the stamp from the replica's ``HybridLogicalClock``, which must have received
  /// the stamps of all merged deltas. Then the stamp is greater than those of the values
  /// that the changes replace.
  ///
  /// Each change takes effect at once. If `body` throws, the changes made before remain;
  /// ``DeltaMergeable/delta(since:)`` returns them.
  ///
  /// - Complexity: O(number of replicas), plus the cost of `body`.
  @discardableResult
  public mutating func edit(
    at timestamp: HybridTimestamp, _ body: (inout Editor) throws -> Void
  ) rethrows -> TableDelta<Document> {
    let before = _table.version
    try withEditor(at: timestamp, body)
    return TableDelta(_table.editDelta(since: before, by: timestamp.replica))
  }

  /// Runs `body` with an editor, without making a delta.
  mutating func withEditor<Result>(
    at timestamp: HybridTimestamp, _ body: (inout Editor) throws -> Result
  ) rethrows -> Result {
    var editor = Editor(taking: &_table, schema: schema, timestamp: timestamp)
    defer { swap(&_table, &editor.table) }
    return try body(&editor)
  }
}

extension Document.Editor {
  /// The value of a field after the changes so far; `nil` if the field or the record is
  /// absent.
  ///
  /// - Complexity: As ``Document/value(of:of:in:)``.
  public mutating func value(
    of path: FieldPath, of record: String, in collection: String
  ) -> Document.Value? {
    withDocument { $0.value(of: path, of: record, in: collection) }
  }

  /// The fields of a record after the changes so far; `nil` if the record is absent.
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

  /// A record as a model, after the changes so far; `nil` if the record is absent.
  ///
  /// - Throws: The errors of ``Document/read(_:_:in:)``.
  /// - Complexity: O(rows of the record).
  public mutating func read<Model: Decodable>(
    _ type: Model.Type, _ record: String, in collection: String
  ) throws -> Model? {
    try withDocument { try $0.read(type, record, in: collection) }
  }

  /// Reads the table as a document that is its only owner, so that the next change copies
  /// nothing.
  private mutating func withDocument<Result>(
    _ read: (Document) throws -> Result
  ) rethrows -> Result {
    var document = Document(schema: schema)
    swap(&document._table, &table)
    defer { swap(&document._table, &table) }
    return try read(document)
  }
}

extension Document.Editor {
  /// Whether a record exists and is not deleted.
  public mutating func contains(_ record: String, in collection: String) -> Bool {
    state(of: Document.Place(record: record, in: collection, near: self.record)).isPresent
  }

  private mutating func state(of place: Document.Place) -> Document.RecordState {
    // Only a deleted record needs a look at each row.
    if !table.dotsForChange(of: Document.RowKey(place, .deletion)).isEmpty {
      table.prepareGroups()
    }
    let rule = schema.collections[place.collection]?.deletion ?? .updateWins
    return table.state(of: place, under: rule, seeing: isSeen)
  }

  /// Deletes a record, and returns whether it existed.
  ///
  /// You can restore it until it is purged. The collection's ``Schema/DeletionRule`` decides
  /// whether a concurrent change keeps the record.
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

  /// Restores a deleted record with its fields, and returns whether there was one.
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
  /// Writes the rows of a delta again, as changes made now.
  ///
  /// Use this for deltas that can't be applied any more because the events they depend on
  /// are lost. It writes values, elements, records and deletions. It does not write
  /// counts, because it can't know which part of them is known already. The elements of lists
  /// are placed at the end.
  ///
  /// - Returns: Whether all rows could be written again.
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
    case (.field(let name), .list):
      _ = openList(open(place.path.appending(name), of: place.record, in: place.collection))
    case (.position(let name), _) where !place.path.names.isEmpty:
      let list = open(place.path, of: place.record, in: place.collection)
      let last = elements(ofListAt: list).last { $0.place != nil }?.place
      _ = placeElement(name, after: last, in: openList(list))
    case (.field, .object), (.field, .set):
      // The rows beneath it create the object or set.
      break
    case (.element, _), (.field, _), (.position, _), (.mark, _):
      return false
    }
    return true
  }
}
