/// An operation over which the server failed, and what it said.
struct LaneFailure: Sendable {
  let slot: Int
  /// The operation's place in the queue: if another is first now, it is out of date.
  let sequence: UInt64
  let message: String
}
