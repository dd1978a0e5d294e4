public import CRDTKit

/// What a reading of a store's document gives, now and whenever it comes to give
/// something else.
///
///     for await titles in store.values({ $0.records(in: "notes") }) { show(titles) }
///
/// The first value comes at once. Values in between are left out for those who are
/// slow. It keeps the store open, and ends when the store is closed or the task is cancelled.
public struct StoreValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  /// What the reading gives.
  public typealias Element = Value

  let store: Store
  let mayAffect: @Sendable (StoreChange) -> Bool
  let read: @Sendable (Document) -> Value

  /// Hands out the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let values: StoreValues
    let subscription: ChangeSubscription
    var last: Value?

    /// Waits for the next value; `nil` when there will be none.
    public mutating func next() async -> Value? {
      await next(isolation: nil)
    }

    /// Waits for the next value; `nil` when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      while last != nil {
        guard let change = await subscription.next() else { return nil }
        guard values.mayAffect(change) else { continue }
        let value = values.read(values.store.document)
        guard value != last else { continue }
        last = value
        return value
      }
      last = values.read(values.store.document)
      return last
    }
  }

  /// Begins to hand out the values.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(values: self, subscription: store.core.changes.subscribe())
  }
}

extension Store {
  /// What a reading of the document gives, now and whenever it changes.
  ///
  /// The reading is done after each commit, in the task that asks for values.
  public func values<Value: Equatable & Sendable>(
    _ read: @escaping @Sendable (Document) -> Value
  ) -> StoreValues<Value> {
    StoreValues(
      store: self, mayAffect: { _ in true }, read: read)
  }

  /// The fields of a record, now and whenever they change; `nil` while there is no
  /// such record.
  public func values(
    of record: String, in collection: String
  ) -> StoreValues<[String: Document.Value]?> {
    StoreValues(
      store: self,
      mayAffect: { $0.mayAffect(record, in: collection) },
      read: { $0.fields(of: record, in: collection) })
  }
}
