import CRDTKit

extension SyncFailure {
  /// Whether a stream that was damaged on the way can be the reason.
  ///
  /// Between replicas that are sound, nothing else may be.
  var isDamage: Bool {
    if case .endedByPeer(let kind) = self { kind.isDamage } else { kind.isDamage }
  }

  /// Whether it is of one name in two places, which another connection may mend.
  var isOfFork: Bool {
    let kind = if case .endedByPeer(let kind) = self { kind } else { kind }
    return kind == .fork || kind == .differentContents
  }
}

extension SyncFailure.Kind {
  /// Bytes that are out of place can look like a frame that is too long, or like
  /// no frame at all.
  fileprivate var isDamage: Bool {
    [.damaged, .notAPeer, .violation].contains(self)
  }
}
