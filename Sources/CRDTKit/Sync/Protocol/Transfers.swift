/// A delta that is being sent to the peer.
///
/// It outlives its stream, so that another stream can continue it.
struct OutgoingTransfer: Sendable {
  let bytes: [UInt8]
  /// The fingerprint of the bytes, which is also the transfer's name.
  let digest: UInt64
  /// The version that the peer must have to apply it.
  let base: VersionVector
  /// The events that the peer has after applying it.
  let version: VersionVector
  /// Whether it can be decoded without any earlier transfer: it was the first on its
  /// stream.
  let standsAlone: Bool
  /// Whether it was offered on this stream.
  var isOffered = false
  var sent = 0
  /// The number of bytes that the peer has acknowledged.
  var taken = 0

  init(_ bytes: [UInt8], base: VersionVector, news: VersionVector, standsAlone: Bool) {
    self.bytes = bytes
    self.standsAlone = standsAlone
    digest = bytes.withUnsafeBytes { Fingerprint.of($0) }
    self.base = base
    version = base.merging(news)
  }

  /// Restarts on a new stream, where the peer's partial transfer ends.
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

/// The received part of a delta from the peer.
///
/// It outlives its stream, so that another stream can continue it.
struct IncomingTransfer: Sendable {
  /// The fingerprint of all of its bytes, which is also the transfer's name.
  let digest: UInt64
  let total: Int
  /// The received bytes; no memory is reserved for bytes that were only announced.
  var bytes: [UInt8] = []
  /// The number of bytes that was last acknowledged.
  var reported = 0
  /// Whether the peer has offered it on this stream.
  var isActive = true

  var isWhole: Bool { bytes.count == total }

  /// Whether the bytes are those that were offered.
  var isGenuine: Bool { bytes.withUnsafeBytes { Fingerprint.of($0) } == digest }
}

/// The progress of a transfer when its stream broke.
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
