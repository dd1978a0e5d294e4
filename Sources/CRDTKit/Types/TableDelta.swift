/// What one copy of a value knows and a version does not: new rows, and what was
/// removed.
///
/// A delta may be sent, stored and taken in more than once, by anyone; it takes
/// effect only where ``base`` has been seen, and is refused otherwise.
@frozen
public struct TableDelta<Value: TableBacked>: Sendable {
  @usableFromInline package var changes: DotTable<Value.RowKey, Value.RowPayload>.Delta

  @inlinable
  package init(_ changes: DotTable<Value.RowKey, Value.RowPayload>.Delta) {
    self.changes = changes
  }

  /// The events that must have been seen before the delta can be taken in.
  @inlinable
  public var base: VersionVector { changes.base }

  /// The new events, as the version of them alone.
  @inlinable
  public var version: VersionVector {
    VersionVector(
      sortedEntries: ContiguousArray(
        changes.columns.lazy.filter { $0.seen > changes.base[$0.replica] }
          .map { VersionVector.Entry($0.replica, $0.seen) }
      )
    )
  }

  /// Whether there is nothing new in it.
  @inlinable
  public var isEmpty: Bool { changes.columns.isEmpty }
}

extension TableDelta: BinaryCodable {
  /// The code of deltas, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [31] + Value.typeCode }

  /// Writes the delta's canonical form.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    changes.encode(to: &writer)
  }

  /// Reads a delta's canonical form.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(try Value._readChanges(from: &reader))
  }
}

extension TableDelta {
  /// Writes the delta's canonical form alone, but for what was written before and
  /// is remembered.
  ///
  /// There is no header and no checksum: what the body is written into has its own.
  /// The bodies that share a memory can be read only in the order in which they were
  /// written, from the one on that began with none. To begin anew, set the memory to
  /// `nil`. A body that was written and then thrown away has left its names in the
  /// memory: go on with none, or with a copy of the variable made before, which costs
  /// a copy of all that is remembered.
  ///
  /// - Complexity: O(size of the delta).
  @inlinable
  package func encodeBody(
    to writer: inout ByteWriter, remembering memory: inout CodingMemory?
  ) {
    // The writer changes the memory, and must be alone in that.
    if !isKnownUniquelyReferenced(&memory) { memory = memory?.copied() }
    swap(&writer.memory, &memory)
    encode(to: &writer)
    swap(&writer.memory, &memory)
  }

  /// Reads what ``encodeBody(to:remembering:)`` wrote, with what was read before and
  /// is remembered.
  ///
  /// The reader stands after the body then. A memory with which all bodies were read
  /// is that with which they were written: the next body can be written with it.
  /// After an error there is none: what follows can't be read.
  ///
  /// - Complexity: O(size of the delta), in time and in memory.
  /// - Throws: ``DecodingFailure`` where the bytes are not in order.
  @inlinable
  package init(
    bodyFrom reader: inout ByteReader, remembering memory: inout CodingMemory?
  ) throws(DecodingFailure) {
    swap(&reader.memory, &memory)
    do {
      try self.init(from: &reader)
    } catch {
      reader.memory = memory
      memory = nil
      throw error
    }
    swap(&reader.memory, &memory)
  }
}

extension TableBacked {
  /// Begins a stretch with the next event that a replica makes here: see ``Stretches``.
  package mutating func beginStretch(of replica: ReplicaID, nonce: UInt32) {
    table.beginStretch(of: replica, nonce: nonce)
  }

  /// Notes that a replica is known to have written in two places, if it isn't yet: see
  /// ``forks``.
  package mutating func noteFork(of replica: ReplicaID) {
    table.noteFork(NotedFork(replica: replica, count: 1))
  }

  /// Whether a delta since a version lists what was removed, and not what is left.
  ///
  /// Where it doesn't, a ``RemovalHistory`` of deltas that were kept makes a delta
  /// whose cost follows what has changed.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  package func isLogWhole(since version: VersionVector) -> Bool {
    table.isLogWhole(since: version)
  }

  /// What this copy knows and the version does not, with a history of what was
  /// forgotten here; `nil` where the two together don't reach back to the version.
  ///
  /// It does what ``delta(since:)`` does. The history may end before this copy's
  /// version, if what was removed since is still known here.
  ///
  /// - Complexity: O(number of replicas + what is new, with all that was removed
  ///   since the version).
  @inlinable
  package func delta(
    since version: VersionVector, history: RemovalHistory
  ) -> TableDelta<Self>? {
    table.delta(since: version, history: history).map { TableDelta($0) }
  }
}

extension RemovalHistory {
  /// Adds what a delta's events killed; says whether the history goes on.
  ///
  /// Deltas are added in the order in which they were taken in, and what is known of
  /// them is passed over. Where events are missing before the delta's, or the delta
  /// lists what lives and not what died, it doesn't go on: for the replicas of the
  /// delta's events the history begins anew, and what they killed before is lost.
  ///
  /// - Complexity: O(number of replicas + removals in the delta).
  @inlinable
  @discardableResult
  package mutating func append<Value>(_ delta: TableDelta<Value>) -> Bool {
    let isLogged = if case .kills = delta.changes.removals { true } else { false }
    var goesOn = true
    for column in delta.changes.columns where column.seen > delta.changes.base[column.replica] {
      let kills = isLogged ? column.kills : KillLog(floor: column.seen)
      let isNext = append(kills, upTo: column.seen, of: column.replica)
      goesOn = goesOn && isNext
    }
    return goesOn
  }
}
