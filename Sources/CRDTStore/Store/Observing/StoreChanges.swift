public import CRDTKit

extension Store {
  /// The changes of one or more commits to a store's document: all those since the last read.
  public struct Change: Hashable, Sendable {
    /// The records that were changed, created, deleted, restored or purged.
    ///
    /// It is `nil` if they are too many to list; then any record may have changed.
    public private(set) var records: Set<Document.RecordID>?

    /// Whether something changed that the store keeps for itself: operations that wait to be
    /// sent, the server's versions, drafts, settings.
    public internal(set) var hasLocalChanges = false

    /// The maximum number of records in the list.
    public static var maximumRecords: Int { 1_024 }

    /// Creates a change of some records; of any, if they are `nil` or too many.
    init(_ records: Set<Document.RecordID>?) {
      self.records = records.flatMap { $0.count <= Self.maximumRecords ? $0 : nil }
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

    mutating func merge(_ other: Store.Change) {
      if other.hasLocalChanges { hasLocalChanges = true }
      guard let mine = records, let theirs = other.records else {
        records = nil
        return
      }
      let merged = Store.Change(mine.union(theirs))
      records = merged.records
    }
  }

  /// The changes of a store's document, as they are committed.
  ///
  ///     for await change in store.changes where change.mayAffect(collection: "notes") {
  ///       show(store.document)
  ///     }
  ///
  /// A loop receives the commits that are made after it has begun, and keeps the store open.
  /// A slow reader receives all commits since its last read as one change, so nothing piles
  /// up. The loop ends when the store is closed or the task is cancelled.
  public struct Changes: AsyncSequence, Sendable {
    /// The changes of one or more commits.
    public typealias Element = Store.Change

    let store: Store

    /// Iterates over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let store: Store
      let subscription: ChangeSubscription

      /// Waits for the next change; `nil` at the end.
      public func next() async -> Store.Change? {
        await subscription.next()
      }

      /// Waits for the next change; `nil` at the end.
      public func next(isolation actor: isolated (any Actor)?) async -> Store.Change? {
        await subscription.next()
      }
    }

    /// Creates an iterator; it receives commits from now on.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(store: store, subscription: store.core.changes.subscribe())
    }
  }
}

extension Store {
  /// The changes as they are committed.
  ///
  /// See ``Store/Changes``.
  public var changes: Store.Changes {
    Store.Changes(store: self)
  }
}

extension Store {
  /// The result of a query on a store's document, now and whenever it changes.
  ///
  ///     for await titles in store.values({ $0.records(in: "notes") }) { show(titles) }
  ///
  /// The first value comes at once. A slow reader skips values in between. The loop keeps the
  /// store open, and ends when the store is closed or the task is cancelled.
  public struct Values<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The query's result.
    public typealias Element = Value

    let store: Store
    let mayAffect: @Sendable (Store.Change) -> Bool
    let read: @Sendable (Document) -> Value

    /// Iterates over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let values: Values
      let subscription: ChangeSubscription
      var last: Value?

      /// Waits for the next value; `nil` at the end.
      public mutating func next() async -> Value? {
        await next(isolation: nil)
      }

      /// Waits for the next value; `nil` at the end.
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

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(values: self, subscription: store.core.changes.subscribe())
    }
  }
}

extension Store {
  /// The result of a query on the document, now and whenever it changes.
  ///
  /// The query runs after each commit, in the task that reads the values.
  public func values<Value: Equatable & Sendable>(
    _ read: @escaping @Sendable (Document) -> Value
  ) -> Store.Values<Value> {
    Store.Values(
      store: self, mayAffect: { _ in true }, read: read)
  }

  /// The fields of a record, now and whenever they change; `nil` while there is no such
  /// record.
  public func values(
    of record: String, in collection: String
  ) -> Store.Values<[String: Document.Value]?> {
    Store.Values(
      store: self,
      mayAffect: { $0.mayAffect(record, in: collection) },
      read: { $0.fields(of: record, in: collection) })
  }
}

extension Store {
  /// The text of a field, now and whenever it changes, by whomever; `nil` while the field shows
  /// none.
  ///
  /// A view applies only what differs from what it shows, so its caret stays:
  ///
  ///     var shown: Document.Text?
  ///     for await body in store.values(ofText: "body", of: "n1", in: "notes") {
  ///       guard let body else { continue }
  ///       for change in body.changes(since: shown) {
  ///         storage.replaceCharacters(in: NSRange(change.replaced), with: change.inserted)
  ///       }
  ///       shown = body
  ///     }
  ///
  /// Edits that the app has made itself are among the changes, so the view should show them only
  /// when they come. The first text comes at once. A slow reader skips texts in between, and
  /// the changes since the one that it shows are still right. The loop ends as that of
  /// ``Store/Values``.
  ///
  /// - Complexity: O(length of the text) for each change of its record.
  public func values(
    ofText field: FieldPath, of record: String, in collection: String
  ) -> Store.Values<Document.Text?> {
    Store.Values(
      store: self,
      mayAffect: { $0.mayAffect(record, in: collection) },
      read: { $0.text(of: field, of: record, in: collection) })
  }

  /// The list of a field, now and whenever it changes, by whomever; `nil` while the field shows
  /// none.
  ///
  /// `changes(since:)` and `edited(since:)` of each list say what is different from the list that
  /// a view shows, with elements that were moved. See ``values(ofText:of:in:)``.
  ///
  /// - Complexity: O(n log n) for n rows of the list, for each change of its record.
  public func values(
    ofList field: FieldPath, of record: String, in collection: String
  ) -> Store.Values<Document.List?> {
    Store.Values(
      store: self,
      mayAffect: { $0.mayAffect(record, in: collection) },
      read: { $0.list(of: field, of: record, in: collection) })
  }
}
