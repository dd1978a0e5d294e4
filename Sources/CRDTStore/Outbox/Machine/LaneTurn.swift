/// When the first operation of a lane can be sent, or has its turn.
struct LaneTurn: Comparable {
  /// A time, or the operation's place in the queue.
  let rank: UInt64
  /// The lane.
  let slot: Int
  /// The operation's place in the queue: if another is first now, the turn is void.
  let sequence: UInt64

  static func < (left: LaneTurn, right: LaneTurn) -> Bool {
    left.rank == right.rank ? left.sequence < right.sequence : left.rank < right.rank
  }
}
