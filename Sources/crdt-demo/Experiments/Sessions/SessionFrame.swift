/// Bytes that one session sends to another, in one frame, with what was counted when
/// they were made.
struct SessionFrame: Sendable {
  var bytes: [UInt8]
  /// Rows of the delta of a transfer that begins with this frame, those that the
  /// receiver has too.
  var elements = 0
  /// One for the frame, and the entries of the two versions of a delta in it.
  var metadata = 1

  /// What the frame costs.
  var cost: ExperimentCost {
    ExperimentCost(messages: 1, elements: elements, metadata: metadata, bytes: bytes.count)
  }
}
