public import CRDTKit

/// What commits have changed in a store's document: one commit, or several between
/// which nobody asked.
public struct StoreChange: Hashable, Sendable {
  /// The records that were changed, created, deleted, restored or purged; `nil`
  /// where they are too many to be listed, and any may have changed.
  public private(set) var records: Set<Document.RecordID>?

  /// Whether something changed that the store keeps for itself: what waits to be
  /// sent, what the server knows, drafts, settings.
  public internal(set) var hasLocalChanges = false

  /// How many records are listed at most.
  public static var recordsMax: Int { 1_024 }

  /// Creates the change of some records; of any, where they are `nil` or too many.
  init(_ records: Set<Document.RecordID>?) {
    self.records = records.flatMap { $0.count <= Self.recordsMax ? $0 : nil }
  }

  /// Whether a record may have changed.
  public func mayAffect(_ record: String, in collection: String) -> Bool {
    records?.contains(Document.RecordID(record, in: collection)) ?? true
  }

  /// Whether a record of a collection may have changed.
  ///
  /// - Complexity: O(number of records listed).
  public func mayAffect(collection: String) -> Bool {
    records?.contains { $0.collection == collection } ?? true
  }

  mutating func merge(_ other: StoreChange) {
    if other.hasLocalChanges { hasLocalChanges = true }
    guard let mine = records, let theirs = other.records else {
      records = nil
      return
    }
    let merged = StoreChange(mine.union(theirs))
    records = merged.records
  }
}

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
