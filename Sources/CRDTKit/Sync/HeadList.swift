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
  static let headBytesMax = 19

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
      let seen = try reader.readCounter()
      let fingerprint = try reader.readFixed(UInt32.self)
      heads.append(
        ColumnHeads.Head(replica: replica, base: 0, seen: seen, fingerprint: fingerprint))
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
      writer.write(varint: head.seen)
      writer.write(fixed: head.fingerprint)
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
