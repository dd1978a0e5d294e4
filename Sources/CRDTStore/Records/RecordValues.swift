public import CRDTKit

extension StoreState {
  func model<Model: Replicated>(
    _ type: Model.Type, _ record: Document.RecordID
  ) throws -> Model? {
    if let model = try document.read(type, record.record, in: record.collection) { return model }
    return try localRecords[record].map { try type.model(from: $0) }
  }

  /// Whether a record is kept in this store only, and shown.
  func isLocal(_ record: Document.RecordID) -> Bool {
    localRecords[record] != nil
      && !document.contains(record.record, in: record.collection)
  }

  /// The value of a field of a record, as its model has it.
  func value(of field: String, of record: Document.RecordID) -> Document.Value? {
    let rules = document.schema.collections[record.collection]
    let kept = rules?.keptNames[field]
    if let kept, let value = keptValue(of: kept, of: record) { return value }
    return keptValue(of: field, of: record) ?? rules?.defaults[[field]]
  }

  private func keptValue(of name: String, of record: Document.RecordID) -> Document.Value? {
    isLocal(record)
      ? localRecords[record]?[name]
      : document.value(of: FieldPath([name]), of: record.record, in: record.collection)
  }

  /// The names of a collection's records, in no particular order.
  func names(in collection: String) -> [String] {
    let names = document.records(in: collection)
    let local = localRecords.names(in: collection)
    return local.isEmpty ? names : Array(Set(names).union(local))
  }
}

extension StoreCore {
  /// The records that readers see.
  var reader: StoreState {
    monitor.withLock { seen }
  }

  /// The records that readers see, at a moment at which a subscription has no pending
  /// change.
  ///
  /// The pending change is taken from the subscription and returned; later ones there are
  /// from later commits. The pending change of the other subscription is taken and dropped.
  func reader(
    taking subscription: ChangeSubscription?, _ other: ChangeSubscription? = nil
  ) -> (reader: StoreState, change: Store.Change?) {
    // Commits become visible, and are announced, while the monitor is held.
    monitor.withLock {
      _ = other?.takePending()
      return (seen, subscription?.takePending())
    }
  }
}

extension Store {
  /// A record, now and whenever it changes.
  ///
  /// See ``Store/observe(_:_:)``.
  public struct RecordValues<Model: Replicated>: AsyncSequence, Sendable {
    /// The record; `nil` while there is none, or while it can't be read as the type.
    public typealias Element = Model?
    /// It never fails.
    public typealias Failure = Never

    let store: Store
    let record: Document.RecordID

    /// Iterates over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let values: RecordValues
      let subscription: ChangeSubscription
      var hasBegun = false

      /// Waits for the next value; `nil` at the end.
      public mutating func next() async -> Model?? {
        await next(isolation: nil)
      }

      /// Waits for the next value; `nil` at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Model?? {
        while hasBegun {
          guard var change = await subscription.next() else { return nil }
          // Changes until now are part of what is read, so they are not reported again.
          let (reader, later) = values.store.core.reader(taking: subscription)
          if let later { change.merge(later) }
          guard change.records?.contains(values.record) ?? true else { continue }
          return .some(read(reader))
        }
        hasBegun = true
        return .some(read(values.store.core.reader(taking: subscription).reader))
      }

      private func read(_ reader: StoreState) -> Model? {
        do {
          return try reader.model(Model.self, values.record)
        } catch {
          values.store.core.tellUnreadable(values.record, error)
          return nil
        }
      }
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(values: self, subscription: store.core.changes.subscribe())
    }
  }
}

extension Store {
  /// The record, now and whenever it changes, here or by changes received from elsewhere.
  ///
  ///     for await note in store.observe(Note.self, "n1") { show(note) }
  ///
  /// The first value comes at once. A slow reader skips values in between. The loop ends
  /// when you leave it, the task is cancelled, or the store is closed.
  public func observe<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) -> Store.RecordValues<Model> {
    Store.RecordValues(store: self, record: Model.record(id))
  }
}

extension Store {
  /// A text of a record, now and whenever it changes, here or by changes received from
  /// elsewhere.
  ///
  ///     var shown: Document.Text?
  ///     for await body in store.observe(Note.self, "n1", text: "body") {
  ///       guard let body else { continue }
  ///       for change in body.changes(since: shown) {
  ///         storage.replaceCharacters(in: NSRange(change.replaced), with: change.inserted)
  ///       }
  ///       shown = body
  ///     }
  ///
  /// The field must have the rule `text`. The text is `nil` while there is no such record, and
  /// while the record is kept in this store only.
  ///
  /// - Complexity: As that of ``values(ofText:of:in:)``.
  public func observe<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID, text field: FieldPath
  ) -> Store.Values<Document.Text?> {
    let record = Model.record(id)
    return values(
      ofText: Model.rules.collection.kept(field), of: record.record, in: record.collection)
  }

  /// A list of a record, now and whenever it changes, here or by changes received from
  /// elsewhere.
  ///
  /// The field must have the rule `list`.
  ///
  /// - Complexity: As that of ``values(ofList:of:in:)``.
  public func observe<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID, list field: FieldPath
  ) -> Store.Values<Document.List?> {
    let record = Model.record(id)
    return values(
      ofList: Model.rules.collection.kept(field), of: record.record, in: record.collection)
  }
}

extension Store {
  /// The records that a query selects, now and whenever one of them changes.
  ///
  /// See ``Store/observe(_:where:)-(_,Store/Query<Model>)``.
  public struct RecordsValues<Model: Replicated>: AsyncSequence, Sendable {
    /// The records.
    public typealias Element = Store.Records<Model>
    /// It never fails.
    public typealias Failure = Never

    let store: Store
    let query: Store.Query<Model>

    /// Iterates over the records.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let values: RecordsValues
      let subscription: ChangeSubscription
      var records: Store.Records<Model>?

      /// Waits for the next records; `nil` at the end.
      public mutating func next() async -> Store.Records<Model>? {
        await next(isolation: nil)
      }

      /// Waits for the next records; `nil` at the end.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Store.Records<
        Model
      >? {
        while records != nil {
          guard var change = await subscription.next() else { return nil }
          // Changes until now are part of what is read, so they are not reported again.
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

      /// Reads a record again; returns whether there is a difference to report.
      private mutating func update(_ record: Document.RecordID, _ reader: StoreState) -> Bool {
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

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(values: self, subscription: store.core.changes.subscribe())
    }
  }
}

extension Store {
  /// The records that a query selects, now and whenever one of them is changed, added or
  /// removed.
  ///
  ///     for await notes in store.observe(Note.self) { show(notes) }
  ///
  /// Only changed records are read again. The first value comes at once. A slow reader
  /// skips values in between. The loop ends when you leave it, the task is cancelled, or
  /// the store is closed.
  public func observe<Model: Replicated>(
    _ type: Model.Type, where query: Store.Query<Model> = .all
  ) -> Store.RecordsValues<Model> {
    Store.RecordsValues(store: self, query: query)
  }

  /// The records that satisfy a predicate, now and whenever they change.
  public func observe<Model: Replicated>(
    _ type: Model.Type, where isIncluded: @escaping @Sendable (Model) -> Bool
  ) -> Store.RecordsValues<Model> {
    Store.RecordsValues(store: self, query: Store.Query(where: isIncluded))
  }
}

extension Replicated {
  /// Throws if the fields' model must not be written.
  static func validate(_ fields: [String: Document.Value]) throws {
    try model(from: fields).validate()
  }

  /// Whether the fields fit the type.
  static func canRead(_ fields: [String: Document.Value]) -> Bool {
    (try? model(from: fields)) != nil
  }
}
