/// A fault of a replica in a world itself: for tests that show that the checks bite.
enum WorldSabotage: String, CaseIterable, Sendable {
  /// Nothing is wrong with it.
  case none
  /// Replica 1 takes in nothing more.
  case deaf
  /// Replica 1 loses durable edits when it crashes.
  case forgetful
  /// Replica 1 goes back to an older state now and then.
  case backwards
}
