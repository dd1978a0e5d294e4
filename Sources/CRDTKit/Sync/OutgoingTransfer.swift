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
