/// A deliberate defect of a replica in a world, for tests that the checks detect it.
enum WorldFault: String, CaseIterable, Sendable {
  /// No defect.
  case none
  /// Replica 1, or the server of an outbox, applies no further changes.
  case deaf
  /// Replica 1 loses durable edits when it crashes; the server of an outbox forgets which
  /// operations it has applied.
  case forgetful
  /// Replica 1 occasionally returns to an older state.
  case backwards
  /// The disks of stores report success for synchronizations that have no effect.
  case storeFdatasync = "store-fdatasync"
  /// Decoded values have lost the data that distinguishes two lines of events under one
  /// name.
  case unmarked
  /// A restored backup isn't distinguished from its original, and contents are not compared
  /// if versions are equal.
  case unnoticed
  /// A replica that finds its name used in two places takes another, but does not rewrite
  /// its events under the old one.
  case unwritten
  /// A store doesn't notice that its folder is a copy.
  case homeless
  /// If one name was used in two places, events with equal dots count as the same.
  case sameDots = "same-dots"
  /// A replica that finds a name used in two places rejects the other one forever.
  case refused
  /// The server of an outbox reports the current time as the modification time of all
  /// records, as if pulled values were always the latest.
  case lateTimes = "late-times"
  /// Apps send rejected operations again unchanged, whatever was written since.
  case blindRetries = "blind-retries"
  /// Apps treat operations that are no longer pending as delivered.
  case oldReceipts = "old-receipts"
  /// Apps don't queue the changes that they make with `edit`.
  case unqueuedEdits = "unqueued-edits"
  /// Apps of one server also sync with each other, including counters.
  case doubledCounters = "doubled-counters"
}

extension WorldFault {
  /// Whether replicas of a style can have this defect.
  func fits(_ style: WorldStyle) -> Bool {
    switch self {
    case .none, .deaf: true
    case .forgetful: style != .store
    case .backwards: !style.hasDisks
    case .storeFdatasync: style.hasDisks
    case .homeless: style == .store
    case .lateTimes, .blindRetries, .oldReceipts, .unqueuedEdits, .doubledCounters:
      style == .outbox
    case .unmarked, .unnoticed, .unwritten, .sameDots, .refused: style == .datagram
    }
  }

  /// The style of the worlds that can detect it; `nil` for any.
  var style: WorldStyle? {
    if needsForks { return self == .homeless ? .store : .datagram }
    switch self {
    case .storeFdatasync: return .store
    case .lateTimes, .blindRetries, .oldReceipts, .unqueuedEdits, .doubledCounters:
      return .outbox
    default: return nil
    }
  }

  /// Whether it only shows if one name is used in two places.
  var needsForks: Bool {
    switch self {
    case .none, .deaf, .forgetful, .backwards, .storeFdatasync, .lateTimes, .blindRetries,
      .oldReceipts, .unqueuedEdits, .doubledCounters:
      false
    case .unmarked, .unnoticed, .unwritten, .homeless, .sameDots, .refused: true
    }
  }

  /// Whether contents are not compared if versions are equal.
  var ignoresContents: Bool { self == .unnoticed || self == .sameDots || self == .unwritten }
}
