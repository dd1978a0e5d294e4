extension Document.Editor {
  /// Makes changes that have seen only some events, such as from a form that was opened
  /// earlier.
  ///
  /// In `body`, changes replace only the rows that were seen. Other rows stay beside the
  /// written ones: a field has both values, as if they had been written concurrently.
  /// Under ``Schema/DeletionRule/updateWins``, a deleted record stays if it has a change that
  /// was not seen. Rules that compare, such as ``Schema/FieldRule/max``, compare with the seen
  /// values. A server that has not received some events yet is another use.
  ///
  ///     let opened = notes.version
  ///     // … changes of others are merged …
  ///     notes.edit(at: stamp) { edit in
  ///       edit.seeing(upTo: opened) { edit in
  ///         edit.set("title", of: "n1", in: "notes", to: "Full moon")
  ///       }
  ///     }
  ///
  /// The replica's own changes in this edit are always seen. Values and models are read
  /// from all rows, seen or not. Setting a counter to a number counts from the sum of all
  /// counts, seen or not, because rows don't show how much of it was seen: count by a
  /// difference instead. Nested calls see only the events that both see.
  ///
  /// - Parameters:
  ///   - isSeen: Whether an event was seen. It is called for events that have rows.
  ///   - body: The changes.
  /// - Returns: The result of `body`.
  @discardableResult
  package mutating func seeing<Result>(
    _ isSeen: (Dot) -> Bool, _ body: (inout Document.Editor) throws -> Result
  ) rethrows -> Result {
    try withoutActuallyEscaping(isSeen) { isSeen in
      let outer = self.isSeen
      let (own, before) = (replica, eventsBefore)
      forgetOpenRecord()
      self.isSeen = { dot in
        if dot.replica == own, dot.counter > before { return true }
        return isSeen(dot) && outer.map { $0(dot) } ?? true
      }
      defer {
        forgetOpenRecord()
        self.isSeen = outer
      }
      return try body(&self)
    }
  }

  /// Makes changes that have seen a version of this copy.
  ///
  /// This is ``seeing(_:_:)`` with a test for the version's events, including those that
  /// were renamed since, when a fork was mended.
  ///
  /// - Complexity: O(number of replicas), plus the cost of `body`.
  @discardableResult
  package mutating func seeing<Result>(
    upTo version: VersionVector, _ body: (inout Document.Editor) throws -> Result
  ) rethrows -> Result {
    let version = table.renaming(version)
    return try seeing({ version.contains($0) }, body)
  }

  /// Makes changes as of an earlier time; as of the editor's time if there is none or it
  /// is later.
  package mutating func stamping<Result>(
    at time: UInt64?, _ body: (inout Document.Editor) throws -> Result
  ) rethrows -> Result {
    let outer = timestamp
    defer { timestamp = outer }
    timestamp = HybridTimestamp(time: min(time ?? .max, outer.time), replica: outer.replica)
    return try body(&self)
  }

  /// Checks again, at the next change, whether the record exists.
  private mutating func forgetOpenRecord() {
    noteOpenRecord()
    record = nil
    object = nil
  }

  /// Whether the changes have seen an event.
  func sees(_ dot: Dot) -> Bool {
    isSeen.map { $0(dot) } ?? true
  }

  /// The dots among these that are seen.
  func seen(_ dots: ContiguousArray<Dot>) -> ContiguousArray<Dot> {
    isSeen.map { dots.filter($0) } ?? dots
  }

  /// The dots of the seen rows with a key, for a change that follows.
  mutating func dots(of key: Document.RowKey) -> ContiguousArray<Dot> {
    seen(table.dotsForChange(of: key))
  }

  /// Replaces the seen rows with a key by the row that `body` makes of their dots, if it
  /// makes one; returns whether it did.
  @discardableResult
  mutating func rewrite(
    _ key: Document.RowKey,
    _ makeRow: (
      _ table: DotTable<Document.RowKey, Document.RowPayload>, _ dots: ContiguousArray<Dot>
    ) -> Row<Document.RowKey, Document.RowPayload>?
  ) -> Bool {
    guard isSeen != nil else { return table.rewrite(key, by: replica, makeRow) }
    let dots = dots(of: key)
    guard let row = makeRow(table, dots) else { return false }
    table.write(row, by: replica, killing: dots)
    return true
  }

  /// Removes the seen rows with a key, if any.
  mutating func removeAll(of key: Document.RowKey) {
    let dots = dots(of: key)
    if !dots.isEmpty { table.remove(dots, by: replica) }
  }

  /// The version of the seen rows of a record, for a deletion of exactly those.
  ///
  /// A version that contains an event contains all earlier ones of the same replica. So
  /// it ends before the first row that was not seen. Later rows that were seen count as
  /// not seen by the deletion, which changes nothing while the unseen row is there.
  mutating func versionSeen(of place: Document.Place) -> VersionVector {
    var version: VersionVector = [:]
    var unseen: [ReplicaID: UInt64] = [:]
    if let isSeen {
      table.prepareGroups()
      let changes = table.dots(under: place.hash) {
        $0.part != .deletion && $0.place.isWithin(place)
      }
      for dot in changes where !isSeen(dot) {
        unseen[dot.replica] = min(unseen[dot.replica] ?? .max, dot.counter)
      }
    }
    for dot in dotsWithin(place) where dot.counter < unseen[dot.replica] ?? .max {
      version[dot.replica] = max(version[dot.replica], dot.counter)
    }
    return version
  }
}
