/// What stands first in an encoded table or delta: which events it is about.
///
/// Whoever has seen them all need not read on.
@frozen
@usableFromInline
package struct ColumnHeads: Sendable {
  /// The events of one replica.
  @frozen
  @usableFromInline
  package struct Head: Sendable {
    @usableFromInline let replica: ReplicaID
    /// How many of them must have been seen before.
    @usableFromInline let base: UInt64
    /// How many of them have been seen after.
    @usableFromInline let seen: UInt64
    /// The fingerprint of all that have been seen; 0 where none is new.
    @usableFromInline let fingerprint: UInt32
    /// The fingerprint that the base had; 0 where that isn't known.
    @usableFromInline let baseFingerprint: UInt32

    @usableFromInline
    init(
      replica: ReplicaID, base: UInt64, seen: UInt64, fingerprint: UInt32,
      baseFingerprint: UInt32 = 0
    ) {
      self.replica = replica
      self.base = base
      self.seen = seen
      self.fingerprint = fingerprint
      self.baseFingerprint = baseFingerprint
    }

    /// The head of a replica that has made nothing new.
    @usableFromInline
    init(known entry: VersionVector.Entry) {
      self.init(
        replica: entry.replica, base: entry.counter, seen: entry.counter, fingerprint: 0)
    }

    @inlinable
    var isNew: Bool { seen > base }
  }

  @usableFromInline var heads: ContiguousArray<Head>

  @usableFromInline
  init(_ heads: ContiguousArray<Head>) {
    self.heads = heads
  }

  @inlinable
  var base: VersionVector {
    VersionVector(
      sortedEntries: ContiguousArray(
        heads.lazy.filter { $0.base > 0 }.map { VersionVector.Entry($0.replica, $0.base) }
      )
    )
  }
}

extension ColumnHeads {
  /// Writes the heads of a whole state.
  @usableFromInline
  func encodeState(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      head.replica.encode(to: &writer)
      writer.write(varint: head.seen)
      writer.write(fixed: head.fingerprint)
    }
  }

  /// Reads the heads of a whole state.
  @usableFromInline
  init(stateFrom reader: inout ByteReader) throws(DecodingFailure) {
    let count = try reader.readCount(of: "replicas")
    heads = []
    for _ in 0..<count {
      let replica = try reader.readReplica(after: heads.last?.replica)
      let seen = try reader.readCounter()
      let fingerprint = try reader.readFixed(UInt32.self)
      heads.append(Head(replica: replica, base: 0, seen: seen, fingerprint: fingerprint))
    }
  }

  /// Writes the heads of a delta.
  @usableFromInline
  func encodeDelta(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      head.replica.encode(to: &writer)
      writer.write(varint: head.base)
      writer.write(varint: head.seen - head.base)
      if head.isNew { writer.write(fixed: head.fingerprint) }
      if head.isNew, head.base > 0 { writer.write(fixed: head.baseFingerprint) }
    }
  }

  /// Reads the heads of a delta.
  @usableFromInline
  init(deltaFrom reader: inout ByteReader) throws(DecodingFailure) {
    let count = try reader.readCount(of: "replicas")
    heads = []
    for _ in 0..<count {
      let replica = try reader.readReplica(after: heads.last?.replica)
      let start = reader.offset
      let base = try reader.readVarint()
      let more = try reader.readVarint()
      guard base <= Dot.counterMax, more <= Dot.counterMax - base else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      guard base + more > 0 else {
        throw DecodingFailure(.notCanonical("a replica without events"), at: start)
      }
      let fingerprint = more > 0 ? try reader.readFixed(UInt32.self) : 0
      let atBase = more > 0 && base > 0 ? try reader.readFixed(UInt32.self) : 0
      heads.append(
        Head(
          replica: replica, base: base, seen: base + more, fingerprint: fingerprint,
          baseFingerprint: atBase))
    }
  }
}

extension Survivors {
  /// Writes the number of runs, then for each how many counters are left out
  /// before it, less one except before the first, and its length less one.
  @usableFromInline
  func encode(to writer: inout ByteWriter, after base: UInt64) {
    writer.write(varint: UInt64(runs.count))
    var next = base + 1
    for run in runs {
      writer.write(varint: run.lowerBound - next)
      writer.write(varint: run.upperBound - run.lowerBound)
      next = run.upperBound + 2
    }
  }

  /// Reads runs of counters after `base`, up to `seen`.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64
  ) throws(DecodingFailure) {
    let start = reader.offset
    let count = try reader.readCount(of: "runs")
    runs = []
    var next = base + 1
    for _ in 0..<count {
      let skipped = try reader.readVarint()
      let more = try reader.readVarint()
      guard next <= seen, skipped <= seen - next, more <= seen - next - skipped else {
        throw DecodingFailure(.outOfBounds("a run of events"), at: start)
      }
      runs.append(next + skipped...next + skipped + more)
      next += skipped + more + 2
    }
  }

  /// How many counters are listed.
  @usableFromInline
  var count: UInt64 { runs.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }
}
