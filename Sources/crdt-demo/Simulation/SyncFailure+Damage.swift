import CRDTKit

extension SyncFailure {
  /// Whether a stream that was damaged on the way can be the reason.
  ///
  /// Between replicas that are sound, nothing else may be.
  var isDamage: Bool {
    if case .endedByPeer(let kind) = self { kind.isDamage } else { kind.isDamage }
  }
}

extension SyncFailure.Kind {
  /// Bytes that are out of place can look like a frame that is too long, or like
  /// no frame at all.
  fileprivate var isDamage: Bool {
    [.damaged, .notAPeer, .violation].contains(self)
  }
}
