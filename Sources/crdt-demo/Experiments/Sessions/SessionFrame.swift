import CRDTKit

/// Bytes that one session sends to another, in one frame, with what was counted when
/// they were made.
struct SessionFrame: Sendable {
  var bytes: [UInt8]
  /// Rows of the delta that a transfer begins with this frame.
  var elements = 0
  /// One for the frame, and the entries of the two versions of a delta in it.
  var metadata = 1
}
