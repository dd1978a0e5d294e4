/// A fault of a replica in a world itself: for tests that show that the checks bite.
enum WorldFault: String, CaseIterable, Sendable {
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
  /// Values that are read from bytes have forgotten what tells two lines of events under
  /// one name apart.
  case unmarked
  /// A backup that was put back isn't told from what it is a copy of, and nobody compares
  /// contents where versions are equal.
  case unnoticed
  /// Who finds its name used in two places takes another, and leaves what it has written
  /// under the old one as it is.
  case unwritten
  /// A store doesn't notice that its folder is a copy.
  case homeless
  /// Where one name was used in two places, events of one dot are taken for the same.
  case sameDots = "same-dots"
  /// Who finds a name used in two places refuses the other for ever.
  case refused
  /// The server of an outbox says of all it has that it was changed just now, as if what is
  /// fetched were always the latest.
  case lateTimes = "late-times"
  /// Apps send what was refused again as it was made, whatever was written since.
  case blindRetries = "blind-retries"
  /// Apps take what doesn't wait any more for delivered.
  case oldReceipts = "old-receipts"
  /// Apps tell the server of nothing that they write by `edit`.
  case unqueuedEdits = "unqueued-edits"
  /// Apps of one server also sync with each other, counters among the rest.
  case doubledCounters = "doubled-counters"
}

extension WorldFault {
  /// Whether replicas of a style can be sabotaged so.
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

  /// The style of the worlds in which it is looked for; `nil` for any.
  var style: WorldStyle? {
    if needsForks { return self == .homeless ? .store : .datagram }
    switch self {
    case .storeFdatasync: return .store
    case .lateTimes, .blindRetries, .oldReceipts, .unqueuedEdits, .doubledCounters:
      return .outbox
    default: return nil
    }
  }

  /// Whether it shows only where one name is used in two places.
  var needsForks: Bool {
    switch self {
    case .none, .deaf, .forgetful, .backwards, .storeFdatasync, .lateTimes, .blindRetries,
      .oldReceipts, .unqueuedEdits, .doubledCounters:
      false
    case .unmarked, .unnoticed, .unwritten, .homeless, .sameDots, .refused: true
    }
  }

  /// Whether what all have isn't compared where versions are equal.
  var ignoresContents: Bool { self == .unnoticed || self == .sameDots || self == .unwritten }
}
