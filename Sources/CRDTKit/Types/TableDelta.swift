/// The changes of a value that a version does not contain: new rows and removals.
///
/// You can send, store and apply a delta any number of times. Applying it requires that
/// the receiver has seen the events of ``base``; otherwise the delta is refused.
@frozen
public struct TableDelta<Value: TableBacked>: Sendable {
  @usableFromInline package var changes: DotTable<Value.RowKey, Value.RowPayload>.Delta

  @inlinable
  package init(_ changes: DotTable<Value.RowKey, Value.RowPayload>.Delta) {
    self.changes = changes
  }

  /// The events that a copy must have seen before you can apply the delta to it.
  @inlinable
  public var base: VersionVector { changes.base }

  /// The version of the new events alone.
  @inlinable
  public var version: VersionVector {
    VersionVector(
      sortedEntries: ContiguousArray(
        changes.columns.lazy.filter { $0.seen > changes.base[$0.replica] }
          .map { VersionVector.Entry($0.replica, $0.seen) }
      )
    )
  }

  /// Whether the delta contains no changes.
  @inlinable
  public var isEmpty: Bool { changes.columns.isEmpty }
}

extension TableDelta: BinaryCodable {
  /// The type code of deltas, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [31] + Value.typeCode }

  /// Encodes the delta's canonical form.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    changes.encode(to: &writer)
  }

  /// Decodes a delta's canonical form.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(try Value._readChanges(from: &reader))
  }
}

extension TableDelta {
  /// Encodes the delta's canonical form without a header, leaving out what the memory of
  /// earlier bodies supplies.
  ///
  /// There is no header and no checksum, because the surrounding format has its own.
  /// Bodies that share a memory must be decoded in the order in which they were encoded,
  /// beginning with the body that was encoded with `nil`. To start again, set the memory
  /// to `nil`. If you encode a body and then discard it, its names remain in the memory.
  /// Then continue with `nil`, or with a copy of the variable made before; that copies
  /// the whole memory.
  ///
  /// - Complexity: O(size of the delta).
  @inlinable
  package func encodeBody(
    to writer: inout ByteWriter, remembering memory: inout CodingMemory?
  ) {
    // The writer changes the memory, so it needs the only reference.
    if !isKnownUniquelyReferenced(&memory) { memory = memory?.copied() }
    swap(&writer.memory, &memory)
    encode(to: &writer)
    swap(&writer.memory, &memory)
  }

  /// Decodes a body written by ``encodeBody(to:remembering:)``, with the memory of the
  /// bodies decoded before.
  ///
  /// Afterwards, the reader stands at the end of the body. After decoding all bodies, the
  /// memory equals the writer's, so you can encode the next body with it. After an error,
  /// the memory is `nil`, and the bodies that follow can't be decoded.
  ///
  /// - Complexity: O(size of the delta), in time and in memory.
  /// - Throws: ``DecodingFailure`` if the bytes are malformed.
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

extension TableDelta {
  /// The delta without the marks of its base, by which another copy finds out whether its
  /// events are the same.
  package var withoutBaseMarks: TableDelta { based(on: base) }

  /// Whether the delta lists removed rows, rather than those that are left.
  @inlinable
  package var listsRemovals: Bool {
    if case .kills = changes.removals { true } else { false }
  }

  /// Returns the same changes for copies that have seen the events of another base, which
  /// has as many events of the delta's own replicas.
  @inlinable
  package func based(on base: VersionVector) -> TableDelta {
    var delta = self
    delta.changes.base = base
    delta.changes.baseMarks = []
    return delta
  }

  /// Returns the delta with those events of a version in its base, too, that its columns
  /// don't name; the delta itself if its base has marks, or if it lists the rows that are
  /// left of all replicas in its base.
  @inlinable
  package func based(onAllOf version: VersionVector) -> TableDelta {
    guard listsRemovals, changes.baseMarks.isEmpty else { return self }
    let own = changes.columns.map { VersionVector.Entry($0.replica, base[$0.replica]) }
    var whole = version
    whole.replace(with: ContiguousArray(own))
    return based(on: whole)
  }

  /// Returns the events of the delta that a value has not seen, with a base of their
  /// replicas only; the delta itself if it lists the rows that are left.
  ///
  /// - Complexity: O(replicas with new events), and O(changes) of those that the value has
  ///   seen in part.
  @inlinable
  package func news(for value: Value) -> TableDelta {
    guard listsRemovals else { return self }
    var news = DotTable<Value.RowKey, Value.RowPayload>.Delta(base: [:], columns: [])
    for column in changes.columns {
      let known = base[column.replica]
      let seen = Swift.max(known, value._table.seen(of: column.replica))
      guard column.seen > seen else { continue }
      news.columns.append(seen > known ? column.part(after: seen) : column)
      if seen > 0 { news.base.entries.append(VersionVector.Entry(column.replica, seen)) }
    }
    return TableDelta(news)
  }
}

extension TableBacked {
  /// Begins a stretch with the next event that the replica makes here; see ``Stretches``.
  package mutating func beginStretch(of replica: ReplicaID, nonce: UInt32) {
    _table.beginStretch(of: replica, nonce: nonce)
  }

  /// Records that two places have written as a replica, if that isn't recorded yet; see
  /// ``forks``.
  package mutating func noteFork(of replica: ReplicaID) {
    _table.noteFork(NotedFork(replica: replica, count: 1))
  }

  /// Returns whether a delta since `version` lists removals rather than the rows that are
  /// left.
  ///
  /// If it doesn't, a ``RemovalHistory`` of earlier deltas makes a delta whose size
  /// depends on the changes.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  package func isLogWhole(since version: VersionVector) -> Bool {
    _table.isLogWhole(since: version)
  }

  /// Returns the changes that `version` does not contain, using a history of removals
  /// that this copy has forgotten; `nil` if the two together do not reach back to the
  /// version.
  ///
  /// It has the same effect as ``delta(since:)``. The history may end before this copy's
  /// version if this copy still knows the removals since then.
  ///
  /// - Complexity: O(number of replicas + changes, including all removals since the
  ///   version).
  @inlinable
  package func delta(
    since version: VersionVector, history: RemovalHistory
  ) -> TableDelta<Self>? {
    _table.delta(since: version, history: history).map { TableDelta($0) }
  }
}

extension RemovalHistory {
  /// Adds the removals of a delta, and returns whether the history is continuous.
  ///
  /// Add deltas in the order in which they were applied; events already recorded are
  /// skipped. The history is not continuous if events before the delta's are missing, or
  /// if the delta lists live rows instead of removals. Then the history starts again for
  /// the replicas of the delta's events, and their earlier removals are dropped.
  ///
  /// - Complexity: O(number of replicas + removals in the delta).
  @inlinable
  @discardableResult
  package mutating func append<Value>(_ delta: TableDelta<Value>) -> Bool {
    let isLogged = delta.listsRemovals
    var goesOn = true
    for column in delta.changes.columns where column.seen > delta.changes.base[column.replica] {
      let kills = isLogged ? column.kills : KillLog(floor: column.seen)
      let isNext = append(kills, upTo: column.seen, of: column.replica)
      goesOn = goesOn && isNext
    }
    return goesOn
  }
}
