/// A version with the fingerprint of each column, as it comes in over several frames.
struct HeadList: Sendable {
  /// What the version was sent for.
  enum Purpose: Sendable {
    case hello(PartialTransfer?)
    case again
    case pull
  }

  let purpose: Purpose
  private(set) var missing: Int
  private(set) var heads: ContiguousArray<ColumnHeads.Head> = []

  /// How many bytes one head takes at most.
  static let headBytesMax = 56

  /// Reads how many there are, and the first.
  init(
    _ purpose: Purpose, from reader: inout ByteReader, replicasMax: Int
  ) throws(SyncFailure) {
    self.purpose = purpose
    let count = try SyncFailure.wrap { () throws(DecodingFailure) in try reader.readVarint() }
    guard count <= UInt64(replicasMax) else {
      throw .tooManyReplicas(Int(clamping: count), max: replicasMax)
    }
    missing = Int(count)
    try SyncFailure.wrap { () throws(DecodingFailure) in try read(&reader) }
  }

  /// Reads more, from a frame that must have some.
  mutating func append(_ body: [UInt8]) throws(SyncFailure) {
    guard !body.isEmpty else { throw .violation("a frame without the version it announces") }
    var reader = ByteReader(body)
    try SyncFailure.wrap { () throws(DecodingFailure) in try read(&reader) }
  }

  private mutating func read(_ reader: inout ByteReader) throws(DecodingFailure) {
    while reader.remaining > 0 {
      guard missing > 0 else { throw reader.failure(.trailingBytes) }
      let replica = try reader.readReplica(after: heads.last?.replica)
      heads.append(try ColumnHeads.Head(announcing: replica, from: &reader))
      missing -= 1
    }
  }
}

extension ColumnHeads {
  /// The bodies of as many frames as it takes to send the heads after what the
  /// first begins with.
  func bodies(after begin: (inout ByteWriter) -> Void, bytesMax: Int) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    var writer = ByteWriter(capacity: 256)
    begin(&writer)
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      if writer.count + HeadList.headBytesMax > bytesMax {
        bodies.append(writer.finish())
        writer = ByteWriter(capacity: 256)
      }
      head.replica.encode(to: &writer)
      head.announce(to: &writer)
    }
    bodies.append(writer.finish())
    return bodies
  }

  /// What has been seen.
  @usableFromInline
  var version: VersionVector {
    VersionVector(
      sortedEntries: ContiguousArray(heads.map { VersionVector.Entry($0.replica, $0.seen) }))
  }
}

extension ColumnHeads.Head {
  /// Writes how many events have been seen, what they come to, and the last stretch that
  /// they were made in.
  func announce(to writer: inout ByteWriter) {
    let isPlain = origin == 0 && stretches.isEmpty
    writer.write(varint: seen << 1 | (isPlain ? 0 : 1))
    if !isPlain {
      writer.write(varint: origin)
      stretches.part(after: seen).encode(to: &writer)
    }
    writer.write(fixed: fingerprint)
  }

  /// Reads what was announced of a replica's events.
  init(announcing replica: ReplicaID, from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let word = try reader.readVarint()
    let seen = word >> 1
    guard seen > 0, seen <= Dot.counterMax else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    var origin: UInt64 = 0
    var stretches = Stretches()
    if word & 1 == 1 {
      origin = try reader.readVarint()
      stretches = try Stretches(from: &reader, after: seen, upTo: seen)
      guard origin <= seen, stretches.kept.count <= 1, origin > 0 || !stretches.isEmpty else {
        throw DecodingFailure(.notCanonical("what is announced of a replica"), at: start)
      }
      if let last = stretches.kept.last { stretches = Stretches(announcing: last) }
    }
    self.init(
      replica: replica, base: 0, seen: seen,
      fingerprint: try reader.readFixed(UInt32.self), origin: origin, stretches: stretches)
  }
}
