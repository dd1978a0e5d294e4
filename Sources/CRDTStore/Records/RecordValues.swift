import CRDTKit

/// A record, now and whenever it changes: see ``Store/observe(_:_:)``.
public struct RecordValues<Model: Replicated>: AsyncSequence, Sendable {
  /// The record; `nil` while there is none, or it can't be read as the type.
  public typealias Element = Model?
  /// It never fails.
  public typealias Failure = Never

  let store: Store
  let record: Document.RecordID

  /// Hands out the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let values: RecordValues
    let subscription: ChangeSubscription
    var hasBegun = false

    /// Waits for the next value; `nil` when there will be none.
    public mutating func next() async -> Model?? {
      await next(isolation: nil)
    }

    /// Waits for the next value; `nil` when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Model?? {
      while hasBegun {
        guard var change = await subscription.next() else { return nil }
        // What came since then is read with it, and so not told of again.
        let (reader, later) = values.store.core.reader(taking: subscription)
        if let later { change.merge(later) }
        guard change.records?.contains(values.record) ?? true else { continue }
        return .some(read(reader))
      }
      hasBegun = true
      return .some(read(values.store.core.reader(taking: subscription).reader))
    }

    private func read(_ reader: RecordReader) -> Model? {
      do {
        return try reader.model(Model.self, values.record)
      } catch {
        values.store.core.tellUnreadable(values.record, error)
        return nil
      }
    }
  }

  /// Begins to hand out the values.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(values: self, subscription: store.core.changes.subscribe())
  }
}

extension Store {
  /// The record, now and whenever it is changed, here or by what came from elsewhere.
  ///
  ///     for await note in store.observe(Note.self, "n1") { show(note) }
  ///
  /// The first value comes at once; values in between are left out for those who are
  /// slow. The loop ends when it is left, the task cancelled, or the store closed.
  public func observe<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) -> RecordValues<Model> {
    RecordValues(store: self, record: Model.record(id))
  }
}
