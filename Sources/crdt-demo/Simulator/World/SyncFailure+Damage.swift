import CRDTKit

extension SyncFailure {
  /// Whether a stream that was damaged in transit can be the cause.
  ///
  /// Between correct replicas there must be no other cause.
  var isDamage: Bool {
    if case .endedByPeer(let kind) = self { kind.isDamage } else { kind.isDamage }
  }

  /// Whether the cause is one name used by two replicas, which another connection may
  /// repair.
  var isOfFork: Bool {
    let kind = if case .endedByPeer(let kind) = self { kind } else { kind }
    return kind == .fork || kind == .differentContents
  }
}

extension SyncFailure.Kind {
  /// Misplaced bytes can look like an oversized frame, or like an invalid one.
  fileprivate var isDamage: Bool {
    [.damaged, .notAPeer, .violation].contains(self)
  }
}
