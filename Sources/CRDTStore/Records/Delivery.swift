import CRDTKit

/// Whether someone has what a commit wrote.
public enum Delivery: Hashable, Sendable {
  /// Not that anyone here knew.
  case pending
  /// They have it.
  case delivered
  /// The server refused some of it, for these reasons.
  case failed([OperationFailure])
}

extension Store {
  /// Whether a peer or the server has what a commit wrote.
  ///
  /// For the server that is what the store still knows: a commit of which it has
  /// forgotten a dead letter counts as delivered. What the store has no trace of, as
  /// after it was restored from an older copy, nobody is known to have.
  ///
  /// - Complexity: O(number of peers + operations of the commit).
  public func delivery(of receipt: Receipt, to recipient: Recipient) -> Delivery {
    core.delivery(of: receipt, to: recipient)
  }

  /// Waits until a peer or the server has what a commit wrote, or the server has refused
  /// it.
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
        if waiting.isEmpty { return .delivered }
        let failures = waiting.compactMap(\.failure)
        return failures.isEmpty ? .pending : .failed(failures)
      }
    }
  }
}
