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
