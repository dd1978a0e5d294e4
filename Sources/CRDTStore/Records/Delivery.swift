public import CRDTKit

extension Store {
  /// Whether a recipient has the changes of a commit.
  @nonexhaustive
  public enum Delivery: Hashable, Sendable {
    /// The store doesn't know that the recipient has them.
    case pending
    /// The recipient has them: the server has applied all of them, together with later
    /// commits that were joined with this one.
    case delivered
    /// The server refused some of them, for these reasons; you can retry or discard them.
    case refused([Outbox.Failure])
    /// Some of them lost to later writes, or their targets are gone, and the server was not
    /// sent those.
    ///
    /// See ``Store/Event/superseded(_:)``.
    case superseded
    /// The server refused some of them, and the app gave those up.
    case discarded
    /// The store no longer knows.
    ///
    /// It remembers the latest 1,024 operations that were superseded or discarded, and this
    /// one is older than all of them.
    case unknown
  }
}

extension Store {
  /// Whether a peer or the server has the changes of a commit.
  ///
  /// For the server, the answer is what the store knows, also after it was opened again. If
  /// the store has no trace of the commit, for example after it was restored from an older
  /// copy, the answer is that nobody is known to have it.
  ///
  /// - Complexity: O(number of peers + operations of the commit).
  public func delivery(of receipt: Store.Receipt, to recipient: Store.Recipient) -> Store.Delivery {
    core.delivery(of: receipt, to: recipient)
  }

  /// Waits until a peer or the server has the changes of a commit.
  ///
  /// It also returns once the store knows that the server doesn't have them, or can't have
  /// them now.
  ///
  /// - Returns: The outcome; ``Store/Delivery/pending`` if the task was cancelled or the store
  ///   closed before.
  @discardableResult
  public func waitForDelivery(
    of receipt: Store.Receipt, to recipient: Store.Recipient
  ) async -> Store.Delivery {
    let news =
      switch recipient {
      case .server: core.changes
      case .peer: core.peerNews
      }
    let subscription = news.subscribe()
    while true {
      let delivery = core.delivery(of: receipt, to: recipient)
      if delivery != .pending { return delivery }
      guard await subscription.next() != nil else { return .pending }
    }
  }
}

extension StoreCore {
  func delivery(of receipt: Store.Receipt, to recipient: Store.Recipient) -> Store.Delivery {
    monitor.withLock {
      guard receipt.isContained(in: working.document.version) else { return .pending }
      switch recipient {
      case .peer(let replica):
        let peer = identity.peers.first { $0.replica == replica }
        return peer.map { receipt.isContained(in: $0.version) } ?? false ? .delivered : .pending
      case .server:
        let waiting = receipt.operations.compactMap { id in
          outbox.operations(of: id.record).first { $0.id == id }
        }
        let failures = waiting.compactMap(\.failure)
        if !failures.isEmpty { return .refused(failures) }
        if !waiting.isEmpty { return .pending }
        let endings = receipt.operations.compactMap { id in
          outcomes.ending(of: id, changing: receipt.paths(of: id.record))
        }
        if endings.contains(.discarded) { return .discarded }
        if endings.contains(.superseded) { return .superseded }
        return receipt.operations.contains(where: outcomes.hasForgotten) ? .unknown : .delivered
      }
    }
  }
}

extension Store {
  /// A recipient of a commit's changes.
  @nonexhaustive
  public enum Recipient: Hashable, Sendable {
    /// The server, for the part of the commit that was queued for it.
    case server
    /// Another replica.
    case peer(ReplicaID)
  }
}
