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
