public import CRDTKit

extension Store {
  /// A selection of a model's records.
  ///
  /// Give your app's queries names, in an extension of the model, where its coding keys are
  /// visible. The model's rules decide whether a field has an index:
  ///
  ///     extension Errand {
  ///       static func open(in project: String) -> Query<Errand> {
  ///         Query(CodingKeys.project, equals: .string(project)) { !$0.isDone }
  ///       }
  ///     }
  ///     let errands = store.all(Errand.self, where: Errand.open(in: "p1"))
  public struct Query<Model: Replicated>: Sendable {
    /// The field that must have a value, and that value.
    let condition: (field: String, value: Document.Value)?
    private let isIncluded: (@Sendable (Model) -> Bool)?

    /// All records.
    public static var all: Self { Self(condition: nil, isIncluded: nil) }

    private init(
      condition: (field: String, value: Document.Value)?, isIncluded: (@Sendable (Model) -> Bool)?
    ) {
      self.condition = condition
      self.isIncluded = isIncluded
    }

    /// Selects the records that satisfy a predicate.
    public init(where isIncluded: @escaping @Sendable (Model) -> Bool) {
      self.init(condition: nil, isIncluded: isIncluded)
    }

    /// Selects the records of which a field has a value and that satisfy a predicate.
    ///
    /// If the field is among the rules' ``Rules/indexed``, only the matches are read.
    /// Otherwise all records are.
    public init(
      _ field: some CodingKey, equals value: Document.Value,
      where isIncluded: (@Sendable (Model) -> Bool)? = nil
    ) {
      self.init(condition: (field.stringValue, value), isIncluded: isIncluded)
    }

    func includes(_ model: Model, _ record: Document.RecordID, _ reader: StoreState) -> Bool {
      if let condition, reader.value(of: condition.field, of: record) != condition.value {
        return false
      }
      return isIncluded?(model) ?? true
    }
  }
}

/// The records by the values of a field, updated as commits change them.
///
/// An index is made when it is first used. Each later use updates it with only the records
/// that were changed since.
final class FieldIndexes: @unchecked Sendable {
  private struct Name: Hashable {
    var collection: String
    var field: String
  }

  private struct Index {
    var names: [Document.Value: Set<String>] = [:]
    var values: [String: Document.Value] = [:]

    mutating func set(_ value: Document.Value?, of name: String) {
      if let old = values[name] {
        if old == value { return }
        names[old]?.remove(name)
        if names[old]?.isEmpty == true { names[old] = nil }
      }
      values[name] = value
      if let value { names[value, default: []].insert(name) }
    }
  }

  private let monitor = Monitor()
  // Both are guarded by the monitor.
  private var indexes: [Name: Index] = [:]
  private var subscription: ChangeSubscription?

  /// The names of the records that now have a value in a field.
  ///
  /// - Complexity: O(matches + records changed since the last use), O(records) the first
  ///   time.
  func names(
    in collection: String, where field: String, is value: Document.Value, of core: StoreCore,
    taking observer: ChangeSubscription?
  ) -> (names: [String], reader: StoreState) {
    monitor.withLock {
      if subscription == nil { subscription = core.changes.subscribe() }
      // Read both at one moment: a change that is visible already must not arrive again.
      let (reader, change) = core.reader(taking: subscription, observer)
      if let change { update(by: change, reader) }
      let name = Name(collection: collection, field: field)
      if indexes[name] == nil { indexes[name] = make(name, reader) }
      let found = indexes[name]?.names[value] ?? []
      return (Array(found), reader)
    }
  }

  private func make(_ name: Name, _ reader: StoreState) -> Index {
    var index = Index()
    for record in reader.names(in: name.collection) {
      let id = Document.RecordID(record, in: name.collection)
      index.set(reader.value(of: name.field, of: id), of: record)
    }
    return index
  }

  private func update(by change: Store.Change, _ reader: StoreState) {
    guard let records = change.records else {
      indexes = [:]
      return
    }
    for name in Array(indexes.keys) {
      for record in records where record.collection == name.collection {
        indexes[name]?.set(reader.value(of: name.field, of: record), of: record.record)
      }
    }
  }
}

extension StoreCore {
  /// The names of the records that a query may select, in no particular order.
  func names<Model: Replicated>(
    for query: Store.Query<Model>, taking subscription: ChangeSubscription?
  ) -> (names: [String], reader: StoreState) {
    if let (field, value) = query.condition, Model.rules.indexed.contains(field) {
      return indexes.names(
        in: Model.collection, where: field, is: value, of: self, taking: subscription)
    }
    let (reader, _) = reader(taking: subscription)
    return (reader.names(in: Model.collection), reader)
  }
}
