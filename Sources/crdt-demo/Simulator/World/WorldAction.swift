/// Something that is done to a ``World``.
enum WorldAction: Equatable, Sendable {
  /// Links between nodes of different groups have no connection from now on; who is
  /// in no group is in one with all others that aren't.
  case partition([[Int]])
  /// Ends the partition that was begun with these groups.
  case heal([[Int]])
  /// The link between two nodes breaks; there is a connection again so many
  /// microseconds later.
  case cut(Int, Int, UInt64)
  /// A node goes down; the number says what of it is left.
  case crash(Int, CrashKind, draw: UInt64)
  case restart(Int)
  /// The others notice that a node has gone down.
  case collapse(Int)
  /// A node that was away from the beginning comes.
  case join(Int)
  /// A node that was away from the beginning comes, as a copy of another.
  case copy(Int, to: Int, draw: UInt64)
  /// A node leaves for good.
  case leave(Int)
  /// A node is stopped where it is, until it goes on.
  case pause(Int)
  case resume(Int)
  /// A node's clock jumps by so many milliseconds.
  case jump(Int, Int64)
  /// From now on the links are like this.
  case conditions(LinkConditions)
}
