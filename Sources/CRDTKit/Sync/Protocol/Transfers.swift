/// A delta on its way to the peer.
///
/// It outlives the stream it goes over, so that another can go on with it.
struct OutgoingTransfer: Sendable {
  let bytes: [UInt8]
  /// The fingerprint of the bytes: the transfer's name, too.
  let digest: UInt64
  /// What the peer must have seen to take it in.
  let base: VersionVector
  /// What the peer has seen once it has.
  let version: VersionVector
  /// Whether it can be read without any transfer before it: it was the first on its
  /// stream.
  let standsAlone: Bool
  /// Whether it was offered on this stream.
  var isOffered = false
  var sent = 0
  /// How much the peer has said it took.
  var taken = 0

  init(_ bytes: [UInt8], base: VersionVector, news: VersionVector, standsAlone: Bool) {
    self.bytes = bytes
    self.standsAlone = standsAlone
    digest = bytes.withUnsafeBytes { Fingerprint.of($0) }
    self.base = base
    version = base.merging(news)
  }

  /// Begins again on a new stream: where the peer stands that holds the beginning.
  mutating func restart(at partial: PartialTransfer) {
    isOffered = false
    sent = partial.offset
    taken = partial.offset
  }

  /// Whether the peer holds the beginning of this transfer.
  func isContinued(by partial: PartialTransfer) -> Bool {
    partial.digest == digest && partial.total == bytes.count && partial.offset < bytes.count
  }
}

/// What has come so far of a delta that the peer sends.
///
/// It outlives the stream it came over, so that another can go on with it.
struct IncomingTransfer: Sendable {
  /// The fingerprint of all of its bytes: the transfer's name, too.
  let digest: UInt64
  let total: Int
  /// Grows with what has come; no room is made for what was only claimed.
  var bytes: [UInt8] = []
  /// How much the peer was last told to have come.
  var reported = 0
  /// Whether the peer has offered it on this stream.
  var isActive = true

  var isWhole: Bool { bytes.count == total }

  /// Whether the bytes are those that were offered.
  var isGenuine: Bool { bytes.withUnsafeBytes { Fingerprint.of($0) } == digest }
}

/// How far a transfer had come when its stream broke.
struct PartialTransfer: Sendable {
  let digest: UInt64
  let total: Int
  let offset: Int
}

extension PartialTransfer {
  init(_ incoming: IncomingTransfer) {
    self.init(digest: incoming.digest, total: incoming.total, offset: incoming.bytes.count)
  }

  func encode(to writer: inout ByteWriter) {
    writer.write(fixed: digest)
    writer.write(varint: UInt64(total))
    writer.write(varint: UInt64(offset))
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let digest = try reader.readFixed(UInt64.self)
    let start = reader.offset
    let total = try reader.readVarint()
    let offset = try reader.readVarint()
    guard total <= UInt64(Int.max), offset < total else {
      throw DecodingFailure(.outOfBounds("the offset in a transfer"), at: start)
    }
    self.init(digest: digest, total: Int(total), offset: Int(offset))
  }
}
