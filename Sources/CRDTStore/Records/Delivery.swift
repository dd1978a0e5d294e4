public import CRDTKit

/// Whether someone has what a commit wrote.
public enum Delivery: Hashable, Sendable {
  /// Not that anyone here knew.
  case pending
  /// They have it: the server has done all of it, with what later commits that were joined
  /// with it changed.
  case delivered
  /// The server refused some of it, for these reasons; it can be retried or discarded.
  case refused([OperationFailure])
  /// Some of it lost to a later write, or what it changed is gone, and the server was not
  /// told of that. See ``StoreEvent/superseded(_:)``.
  case superseded
  /// The server refused some of it, and the app gave that up.
  case discarded
  /// The store doesn't know any more: it remembers the latest 1,024 operations that were
  /// superseded or discarded, and this one is older than all of them.
  case unknown
}

extension Store {
  /// Whether a peer or the server has what a commit wrote.
  ///
  /// For the server that is what the store knows, also after it was opened anew. What the store has no trace of, as
  /// after it was restored from an older copy, nobody is known to have.
  ///
  /// - Complexity: O(number of peers + operations of the commit).
  public func delivery(of receipt: Receipt, to recipient: Recipient) -> Delivery {
    core.delivery(of: receipt, to: recipient)
  }

  /// Waits until a peer or the server has what a commit wrote, or it is known that the
  /// server has not, or not now.
  ///
  /// - Returns: What became of it; ``Delivery/pending`` where the task was cancelled or
  ///   the store closed before.
  @discardableResult
  public func delivered(_ receipt: Receipt, to recipient: Recipient) async -> Delivery {
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
  func delivery(of receipt: Receipt, to recipient: Recipient) -> Delivery {
    monitor.withLock {
      guard receipt.isContained(in: working.version) else { return .pending }
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

/// Someone who may have a commit.
public enum Recipient: Hashable, Sendable {
  /// The server, as far as the commit was queued for it.
  case server
  /// Another replica.
  case peer(ReplicaID)
}
