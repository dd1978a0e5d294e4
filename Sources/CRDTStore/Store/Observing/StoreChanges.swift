/// The changes of a store's document, as they are committed.
///
///     for await change in store.changes where change.mayAffect(collection: "notes") {
///       show(store.document)
///     }
///
/// It begins with the first commit after it was asked for. Whoever is slow gets
/// what was committed meanwhile as one change: nothing piles up. It ends when the
/// store is closed or the task is cancelled. Each loop needs a sequence of its own.
public struct StoreChanges: AsyncSequence, Sendable {
  /// What commits have changed.
  public typealias Element = StoreChange

  let subscription: ChangeSubscription

  /// Hands out the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let subscription: ChangeSubscription

    /// Waits for the next change; `nil` when there will be none.
    public func next() async -> StoreChange? {
      await subscription.next()
    }

    /// Waits for the next change; `nil` when there will be none.
    public func next(isolation actor: isolated (any Actor)?) async -> StoreChange? {
      await subscription.next()
    }
  }

  /// Begins to hand out the changes.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(subscription: subscription)
  }
}

extension Store {
  /// The changes from now on: see ``StoreChanges``.
  public var changes: StoreChanges {
    StoreChanges(subscription: core.changes.subscribe())
  }
}
