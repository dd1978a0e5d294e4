public import CRDTKit

/// What a server has against one field of an operation that it refused.
public struct FieldIssue: Codable, Hashable, Sendable {
  /// The field.
  public var path: FieldPath
  /// What is wrong with it, in words for the user.
  public var message: String

  /// Creates an issue with a field.
  public init(_ path: FieldPath, _ message: String) {
    self.path = path
    self.message = message
  }
}
