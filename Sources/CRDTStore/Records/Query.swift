public import CRDTKit

/// Which records of a model are wanted.
///
/// Give the queries of your app names, in an extension of the model, where its coding
/// keys are known; whether there is an index for them is for its rules to say:
///
///     extension Errand {
///       static func open(in project: String) -> Query<Errand> {
///         Query(CodingKeys.project, equals: .string(project)) { !$0.isDone }
///       }
///     }
///     let errands = store.all(Errand.self, where: Errand.open(in: "p1"))
public struct Query<Model: Replicated>: Sendable {
  /// The field that must have a value, and the value.
  let condition: (field: String, value: Document.Value)?
  private let isIncluded: (@Sendable (Model) -> Bool)?

  /// All records.
  public static var all: Query { Query(condition: nil, isIncluded: nil) }

  private init(
    condition: (field: String, value: Document.Value)?, isIncluded: (@Sendable (Model) -> Bool)?
  ) {
    self.condition = condition
    self.isIncluded = isIncluded
  }

  /// Asks for the records for which something holds.
  public init(where isIncluded: @escaping @Sendable (Model) -> Bool) {
    self.init(condition: nil, isIncluded: isIncluded)
  }

  /// Asks for the records of which a field has a value, and for which something holds.
  ///
  /// Where the field is among the rules' ``Rules/indexed``, only the matches are looked
  /// at; else all records are.
  public init(
    _ field: some CodingKey, equals value: Document.Value,
    where isIncluded: (@Sendable (Model) -> Bool)? = nil
  ) {
    self.init(condition: (field.stringValue, value), isIncluded: isIncluded)
  }

  func includes(_ model: Model, _ record: Document.RecordID, _ reader: RecordReader) -> Bool {
    if let condition, reader.value(of: condition.field, of: record) != condition.value {
      return false
    }
    return isIncluded?(model) ?? true
  }
}

/// Which records have which value in a field, kept up as commits change them.
///
/// An index is made when it is first asked, and brought up to date when it is asked
/// again: by the records that were changed since, and not by all.
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

  /// The names of the records that have a value in a field, as the document has them at
  /// the moment.
  ///
  /// - Complexity: O(matches + what was changed since), O(records) the first time.
  func names(
    in collection: String, where field: String, is value: Document.Value, of core: StoreCore,
    taking observer: ChangeSubscription?
  ) -> (names: [String], reader: RecordReader) {
    monitor.withLock {
      if subscription == nil { subscription = core.changes.subscribe() }
      // Both at one moment: what is seen already must not be in a change to come.
      let (reader, change) = core.reader(taking: subscription, observer)
      if let change { update(by: change, reader) }
      let name = Name(collection: collection, field: field)
      if indexes[name] == nil { indexes[name] = make(name, reader) }
      let found = indexes[name]?.names[value] ?? []
      return (Array(found), reader)
    }
  }

  private func make(_ name: Name, _ reader: RecordReader) -> Index {
    var index = Index()
    for record in reader.names(in: name.collection) {
      let id = Document.RecordID(record, in: name.collection)
      index.set(reader.value(of: name.field, of: id), of: record)
    }
    return index
  }

  private func update(by change: StoreChange, _ reader: RecordReader) {
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
  /// The names of the records that a query may ask for, in no order.
  func names<Model: Replicated>(
    for query: Query<Model>, taking subscription: ChangeSubscription?
  ) -> (names: [String], reader: RecordReader) {
    if let (field, value) = query.condition, Model.rules.indexed.contains(field) {
      return indexes.names(
        in: Model.collection, where: field, is: value, of: self, taking: subscription)
    }
    let (reader, _) = reader(taking: subscription)
    return (reader.names(in: Model.collection), reader)
  }
}
