/// What a user of the Twitter clone does.
enum RetwisOperation: Equatable, Sendable {
  /// A user begins to follow another.
  case follow(user: Int, followed: Int)
  /// A user writes a post, which goes to the timelines of their followers, as far as
  /// the node knows them.
  case post(user: Int, number: Int)
  /// A user reads their timeline, which sends nothing.
  case read(user: Int)
}
