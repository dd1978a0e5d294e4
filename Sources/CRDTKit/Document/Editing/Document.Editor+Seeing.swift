extension Document.Editor {
  /// Makes changes as someone who has seen only some events: a form that was opened
  /// before others changed the record, a server that has not heard of them yet.
  ///
  /// Within the body changes replace just what was seen. Whatever else there is stays, beside what is written: fields have both values, as if they had
  /// been written concurrently, and a record that is deleted lives on under
  /// ``DeletionRule/updateWins`` if there is a change to it that wasn't seen. Rules
  /// that only admit what wins, such as ``FieldRule/max``, compare with what was seen.
  ///
  ///     let opened = notes.version
  ///     // … changes of others are merged …
  ///     notes.edit(at: stamp) { edit in
  ///       edit.seeing(upTo: opened) { edit in
  ///         edit.set("title", of: "n1", in: "notes", to: "Full moon")
  ///       }
  ///     }
  ///
  /// The replica's own changes in this edit are always seen. Values and models are
  /// read as everyone reads them, from all there is. A counter that is set to a
  /// number counts from what all have counted, seen or not, since rows don't show how
  /// much of it was: count by a difference instead. Within a body that sees some
  /// events, another sees those that both see.
  ///
  /// - Parameters:
  ///   - isSeen: Whether an event was seen. It is asked about those whose rows are
  ///     there.
  ///   - body: The changes.
  /// - Returns: What the body gives.
  @discardableResult
  public mutating func seeing<Result>(
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

  /// Makes changes that see what was there at a version of this copy: as ``seeing(_:_:)`` with
  /// a test for the version's events, and those that have got other names since, as a fork
  /// was mended.
  ///
  /// - Complexity: O(number of replicas), and what the body takes.
  @discardableResult
  public mutating func seeing<Result>(
    upTo version: VersionVector, _ body: (inout Document.Editor) throws -> Result
  ) rethrows -> Result {
    let version = table.renaming(version)
    return try seeing({ version.contains($0) }, body)
  }

  /// Looks anew, at the next change, whether the record is there.
  private mutating func forgetOpenRecord() {
    noteOpenRecord()
    record = nil
    object = nil
  }

  /// Whether the changes take an event for seen.
  func sees(_ dot: Dot) -> Bool {
    isSeen.map { $0(dot) } ?? true
  }

  /// Those dots that are seen.
  func seen(_ dots: ContiguousArray<Dot>) -> ContiguousArray<Dot> {
    isSeen.map { dots.filter($0) } ?? dots
  }

  /// The dots of the rows with a key that are seen, for a change that follows.
  mutating func dots(of key: Document.RowKey) -> ContiguousArray<Dot> {
    seen(table.dotsForChange(of: key))
  }

  /// Replaces the rows with a key that are seen by the one that the body makes,
  /// knowing their dots, if it makes one; says whether it did.
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

  /// Removes the rows with a key that are seen, if there are any.
  mutating func removeAll(of key: Document.RowKey) {
    let dots = dots(of: key)
    if !dots.isEmpty { table.remove(dots, by: replica) }
  }

  /// The version of what is seen of a record, for a deletion of just that.
  ///
  /// A version that holds an event holds all before it of the same replica, so it ends
  /// before the first row that wasn't seen. What was seen after that counts as not
  /// seen by the deletion, which changes nothing while the other is there.
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
