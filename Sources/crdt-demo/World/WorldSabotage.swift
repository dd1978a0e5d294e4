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
  /// The disks of stores say that they have synchronised what they haven't.
  case storeFdatasync = "store-fdatasync"
}

extension WorldSabotage {
  /// Whether replicas of a style can be sabotaged so.
  func fits(_ style: WorldStyle) -> Bool {
    switch self {
    case .none, .deaf: true
    case .forgetful, .backwards: style != .store
    case .storeFdatasync: style == .store
    }
  }
}
