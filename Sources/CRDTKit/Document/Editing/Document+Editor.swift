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
