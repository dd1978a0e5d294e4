/// A fault of a replica in a world itself: for tests that show that the checks bite.
enum WorldSabotage: String, CaseIterable, Sendable {
  /// Nothing is wrong with it.
  case none
  /// Replica 1, or the server of an outbox, takes in nothing more.
  case deaf
  /// Replica 1 loses durable edits when it crashes; the server of an outbox forgets
  /// which operations it has done.
  case forgetful
  /// Replica 1 goes back to an older state now and then.
  case backwards
  /// The disks of stores say that they have synchronised what they haven't.
  case storeFdatasync = "store-fdatasync"
}

extension WorldSabotage {
  /// Whether replicas of a style can be sabotaged so.
  func fits(_ style: WorldStyle) -> Bool {
    switch self {
    case .none, .deaf: true
    case .forgetful: style != .store
    case .backwards: !style.hasDisks
    case .storeFdatasync: style.hasDisks
    }
  }
}
