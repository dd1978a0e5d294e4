import CRDTKit

/// The records that a query asks for, now and whenever one of them changes: see
/// ``Store/observe(_:where:)-(_,Query<Model>)``.
public struct RecordsValues<Model: Replicated>: AsyncSequence, Sendable {
  /// The records.
  public typealias Element = Records<Model>
  /// It never fails.
  public typealias Failure = Never

  let store: Store
  let query: Query<Model>

  /// Hands out the records.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let values: RecordsValues
    let subscription: ChangeSubscription
    var records: Records<Model>?

    /// Waits for the next records; `nil` when there will be none.
    public mutating func next() async -> Records<Model>? {
      await next(isolation: nil)
    }

    /// Waits for the next records; `nil` when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Records<Model>? {
      while records != nil {
        guard var change = await subscription.next() else { return nil }
        // What came since then is read with it, and so not told of again.
        let (reader, later) = values.store.core.reader(taking: subscription)
        if let later { change.merge(later) }
        guard let changed = change.records else { break }
        var isDifferent = false
        for record in changed where record.collection == Model.collection {
          if update(record, reader) { isDifferent = true }
        }
        if isDifferent { return records }
      }
      records = values.store.core.records(values.query, taking: subscription)
      return records
    }

    /// Reads a record anew; says whether there is a difference to be told.
    private mutating func update(_ record: Document.RecordID, _ reader: RecordReader) -> Bool {
      var model: Model?
      let isNoted: Bool
      do {
        model = try reader.model(Model.self, record)
        isNoted = records?.unreadable.remove(record.record) != nil
      } catch {
        values.store.core.tellUnreadable(record, error)
        isNoted = records?.unreadable.insert(record.record).inserted ?? false
      }
      if let found = model, !values.query.includes(found, record, reader) { model = nil }
      return records?.set(model, for: record.record) == true || isNoted
    }
  }

  /// Begins to hand out the records.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(values: self, subscription: store.core.changes.subscribe())
  }
}

extension Store {
  /// The records that a query asks for, now and whenever one of them is changed, comes
  /// or goes.
  ///
  ///     for await notes in store.observe(Note.self) { show(notes) }
  ///
  /// Only records that were changed are read again. The first value comes at once;
  /// values in between are left out for those who are slow. The loop ends when it is
  /// left, the task cancelled, or the store closed.
  public func observe<Model: Replicated>(
    _ type: Model.Type, where query: Query<Model> = .all
  ) -> RecordsValues<Model> {
    RecordsValues(store: self, query: query)
  }

  /// The records for which something holds, now and whenever that changes.
  public func observe<Model: Replicated>(
    _ type: Model.Type, where isIncluded: @escaping @Sendable (Model) -> Bool
  ) -> RecordsValues<Model> {
    RecordsValues(store: self, query: Query(where: isIncluded))
  }
}
