/// What an operation does to its record as a whole.
public enum OperationKind: String, Codable, Hashable, Sendable, CaseIterable {
  /// The record is made, with the fields that are given.
  case create
  /// Some of the record's fields change.
  case update
  /// The record is deleted.
  case delete
}
