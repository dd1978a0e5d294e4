/// The changes of a store's document, as they are committed.
///
///     for await change in store.changes where change.mayAffect(collection: "notes") {
///       show(store.document)
///     }
///
/// A loop begins with the first commit after it has begun, and keeps the store open.
/// Whoever is slow gets what was committed meanwhile as one change: nothing piles
/// up. It ends when the store is closed or the task is cancelled.
public struct StoreChanges: AsyncSequence, Sendable {
  /// What commits have changed.
  public typealias Element = StoreChange

  let store: Store

  /// Hands out the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let store: Store
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
    AsyncIterator(store: store, subscription: store.core.changes.subscribe())
  }
}

extension Store {
  /// The changes as they are committed: see ``StoreChanges``.
  public var changes: StoreChanges {
    StoreChanges(store: self)
  }
}
