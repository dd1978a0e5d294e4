public import CRDTKit

/// What is kept of an outbox is not as it was written.
public struct OutboxDamage: Error, Hashable, Sendable {
  /// The name that the value is kept under.
  public var key: String
  /// What is wrong with the value; `nil` where the name is none of an outbox.
  public var failure: DecodingFailure?

  init(key: String, failure: DecodingFailure? = nil) {
    self.key = key
    self.failure = failure
  }
}

extension OutboxDamage: CustomStringConvertible {
  /// A sentence that says which value is wrong, and how.
  public var description: String {
    let reason = failure.map { "\($0)" } ?? "no operation is kept under such a name"
    return "the queued operation '\(key.visible)' can't be read: \(reason)"
  }
}
