/// The beginning of an encoded table or delta, which describes the events that it
/// contains.
///
/// A reader that has seen all these events need not decode the rest.
@frozen
@usableFromInline
package struct ColumnHeads: Sendable {
  /// The events of one replica.
  @frozen
  @usableFromInline
  package struct Head: Sendable {
    @usableFromInline let replica: ReplicaID
    /// The number of events that a copy must have seen before.
    @usableFromInline let base: UInt64
    /// The number of events that a copy has seen afterwards.
    @usableFromInline let seen: UInt64
    /// The fingerprint of all these events; 0 if none is new.
    @usableFromInline let fingerprint: UInt32
    /// The last event whose fingerprint is in an earlier format.
    @usableFromInline let origin: UInt64
    /// The fingerprints at earlier counters, from the base or the last mark before it on.
    @usableFromInline let history: FingerprintHistory
    /// The stretches from the base on.
    @usableFromInline let stretches: Stretches

    @usableFromInline
    init(
      replica: ReplicaID, base: UInt64, seen: UInt64, fingerprint: UInt32, origin: UInt64 = 0,
      history: FingerprintHistory = FingerprintHistory(), stretches: Stretches = Stretches()
    ) {
      self.replica = replica
      self.base = base
      self.seen = seen
      self.fingerprint = fingerprint
      self.origin = origin
      self.history = history
      self.stretches = stretches
      known = KnownMark()
    }

    /// The mark of a replica without new events.
    @usableFromInline let known: KnownMark

    /// Creates the head of a replica without new events.
    @usableFromInline
    init(known entry: VersionVector.Entry, mark: KnownMark) {
      replica = entry.replica
      base = entry.counter
      seen = entry.counter
      fingerprint = 0
      origin = 0
      history = FingerprintHistory()
      stretches = Stretches()
      known = mark
    }

    @inlinable
    var isNew: Bool { seen > base }
  }

  @usableFromInline var heads: ContiguousArray<Head>

  @usableFromInline
  init(_ heads: ContiguousArray<Head>) {
    self.heads = heads
  }

  /// The marks of the replicas of the base; empty if each of them has new events.
  @inlinable
  var baseMarks: ContiguousArray<KnownMark> {
    guard heads.contains(where: { !$0.isNew }) else { return [] }
    return ContiguousArray(heads.lazy.filter { $0.base > 0 }.map { $0.known })
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
  /// Encodes the heads of a whole state.
  @usableFromInline
  func encodeState(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      head.replica.encode(to: &writer)
      head.encodeNews(to: &writer)
    }
  }

  /// Decodes the heads of a whole state, without their marks if `skims` is true.
  @usableFromInline
  init(stateFrom reader: inout ByteReader, skims: Bool = false) throws(DecodingFailure) {
    let count = try reader.readCount(of: "replicas")
    heads = []
    try reader.makeRoom(for: count, in: &heads)
    for _ in 0..<count {
      let replica = try reader.readReplica(after: heads.last?.replica)
      let start = reader.offset
      let head = try Head(of: replica, after: 0, from: &reader, skims: skims)
      guard head.isNew else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      heads.append(head)
    }
  }

  /// Encodes the heads of a delta.
  @usableFromInline
  func encodeDelta(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      head.replica.encode(to: &writer)
      writer.write(varint: head.base)
      head.encodeNews(to: &writer)
    }
  }

  /// Decodes the heads of a delta.
  @usableFromInline
  init(deltaFrom reader: inout ByteReader) throws(DecodingFailure) {
    let count = try reader.readCount(of: "replicas")
    heads = []
    try reader.makeRoom(for: count, in: &heads)
    for _ in 0..<count {
      let replica = try reader.readReplica(after: heads.last?.replica)
      let start = reader.offset
      let base = try reader.readVarint()
      guard base <= Dot.counterMax else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      let head = try Head(of: replica, after: base, from: &reader)
      guard head.seen > 0 else {
        throw DecodingFailure(.notCanonical("a replica without events"), at: start)
      }
      heads.append(head)
    }
  }
}

extension ColumnHeads.Head {
  /// Encodes the number of events after the base, with the marks and stretches that
  /// identify them.
  func encodeNews(to writer: inout ByteWriter) {
    let isPlain = isNew ? origin == 0 && stretches.isEmpty : known.stretch == nil
    writer.write(varint: (seen - base) << 1 | (isPlain ? 0 : 1))
    guard isNew else { return known.encode(to: &writer, upTo: base) }
    if !isPlain {
      writer.write(varint: origin)
      stretches.encode(to: &writer)
    }
    writer.write(fixed: fingerprint)
    FingerprintHistory.forEachKept(from: firstMark, before: seen) {
      writer.write(fixed: history.fingerprint(at: $0) ?? 0)
    }
  }

  /// Decodes the description of the events after a base, and skips the marks if it only
  /// skims.
  init(
    of replica: ReplicaID, after base: UInt64, from reader: inout ByteReader,
    skims: Bool = false
  ) throws(DecodingFailure) {
    guard reader.formatVersion > 1 else {
      try self.init(version1Of: replica, after: base, from: &reader)
      return
    }
    let start = reader.offset
    let word = try reader.readVarint()
    let isPlain = word & 1 == 0
    guard word >> 1 <= Dot.counterMax - base else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    let seen = base + word >> 1
    guard seen > base else {
      let mark =
        base == 0
        ? KnownMark() : try KnownMark(from: &reader, upTo: base, hasStretch: !isPlain)
      self.init(known: VersionVector.Entry(replica, base), mark: mark)
      return
    }
    var origin: UInt64 = 0
    var stretches = Stretches()
    stretches.floor = base
    if !isPlain {
      origin = try reader.readVarint()
      stretches = try Stretches(from: &reader, after: base, upTo: seen)
      guard origin <= seen, origin > 0 || !stretches.isEmpty else {
        throw DecodingFailure(.notCanonical("the origin of fingerprints"), at: start)
      }
    }
    let fingerprint = try reader.readFixed(UInt32.self)
    let first = Self.firstMark(after: base, upTo: seen, origin: origin)
    var history = FingerprintHistory()
    let marks = FingerprintHistory.keptCount(from: first, before: seen)
    if !skims, marks > 0 {
      try reader.count(objectOf: marks * MemoryLayout<FingerprintHistory.Mark>.stride)
    }
    if skims {
      try reader.skip(4 * marks)
    } else {
      history = try FingerprintHistory(from: first, before: seen) {
        () throws(DecodingFailure) in try reader.readFixed(UInt32.self)
      }
    }
    self.init(
      replica: replica, base: base, seen: seen, fingerprint: fingerprint, origin: origin,
      history: history, stretches: stretches)
  }

  /// Decodes the form of version 1 of the format.
  ///
  /// Its fingerprints were computed differently. Today's fingerprints begin with their
  /// last value.
  private init(
    version1Of replica: ReplicaID, after base: UInt64, from reader: inout ByteReader
  ) throws(DecodingFailure) {
    let start = reader.offset
    let more = try reader.readVarint()
    guard more <= Dot.counterMax - base else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    guard more > 0 else {
      self.init(known: VersionVector.Entry(replica, base), mark: KnownMark())
      return
    }
    let fingerprint = try reader.readFixed(UInt32.self)
    if base > 0 { _ = try reader.readFixed(UInt32.self) }
    self.init(
      replica: replica, base: base, seen: base + more, fingerprint: fingerprint,
      origin: base + more)
  }

  /// The counter of the first mark that is written: the last one up to the base, or the
  /// first of all.
  private var firstMark: UInt64 { Self.firstMark(after: base, upTo: seen, origin: origin) }

  private static func firstMark(
    after base: UInt64, upTo seen: UInt64, origin: UInt64
  ) -> UInt64 {
    max(FingerprintHistory.lastKept(upTo: base, before: seen), origin, 1)
  }
}

extension CounterRuns {
  /// Encodes twice the number of runs, then each run: the number of counters left out
  /// before it (less one, except for the first), and its length less one.
  ///
  /// The first number is odd if the elements of texts follow the rows.
  @usableFromInline
  func encode(to writer: inout ByteWriter, after base: UInt64, hasTexts: Bool = false) {
    writer.write(varint: UInt64(runs.count) << 1 | (hasTexts ? 1 : 0))
    var next = base + 1
    for run in runs {
      writer.write(varint: run.lowerBound - next)
      writer.write(varint: run.upperBound - run.lowerBound)
      next = run.upperBound + 2
    }
  }

  /// Decodes runs of counters after `base`, up to `seen`.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64
  ) throws(DecodingFailure) {
    let start = reader.offset
    let (runs, hasTexts) = try Self.read(from: &reader, after: base, upTo: seen)
    guard !hasTexts else {
      throw DecodingFailure(.invalidValue("texts where only rows can be"), at: start)
    }
    self = runs
  }

  /// Decodes runs of counters, and whether the elements of texts follow the rows.
  @usableFromInline
  static func read(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64
  ) throws(DecodingFailure) -> (runs: CounterRuns, hasTexts: Bool) {
    let start = reader.offset
    let (count, hasTexts) = try readCount(from: &reader)
    var runs: ContiguousArray<ClosedRange<UInt64>> = []
    try reader.makeRoom(for: Int(count), in: &runs)
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
    var all = CounterRuns()
    all.runs = runs
    return (all, hasTexts)
  }

  private static func readCount(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> (count: UInt64, hasTexts: Bool) {
    let start = reader.offset
    let word = try reader.readVarint()
    let count = reader.formatVersion > 1 ? word >> 1 : word
    guard count <= UInt64(reader.remaining) else {
      throw DecodingFailure(.outOfBounds("the number of runs"), at: start)
    }
    return (count, reader.formatVersion > 1 && word & 1 == 1)
  }

  /// The number of listed counters.
  @usableFromInline
  var count: UInt64 { runs.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }
}
