import CRDTKit

/// An operation to look at, or to keep elsewhere: what the server is sent, and the
/// bookkeeping beside it.
extension OutboxOperation: Codable {
  private enum CodingKeys: String, CodingKey {
    case firstEvent, lastEvent, before, attempts, nextAttemptAtMillis, status, failure
  }

  private enum Status: String, Codable {
    case pending, dead
  }

  /// Encodes the members of the ``envelope``, and `firstEvent`, `lastEvent`, `before`
  /// (what fields held, by path), `attempts`, `nextAttemptAtMillis`, `status` and
  /// `failure`.
  public func encode(to encoder: any Encoder) throws {
    try envelope.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(dots.lowerBound, forKey: .firstEvent)
    try container.encode(dots.upperBound, forKey: .lastEvent)
    var before = container.nestedContainer(keyedBy: MemberKey.self, forKey: .before)
    for change in changes {
      let key = MemberKey(change.path.description)
      try before.encodeIfPresent(change.before?.sayingMoments, forKey: key)
    }
    try container.encode(attempts, forKey: .attempts)
    try container.encode(nextAttemptMilliseconds, forKey: .nextAttemptAtMillis)
    try container.encode(failure == nil ? Status.pending : .dead, forKey: .status)
    try container.encodeIfPresent(failure, forKey: .failure)
  }

  /// Decodes an operation; the bookkeeping that isn't there is that of one that has
  /// not been sent.
  public init(from decoder: any Decoder) throws {
    let envelope = try OperationEnvelope(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let own = envelope.id.dot.counter
    let first = try container.decodeIfPresent(UInt64.self, forKey: .firstEvent) ?? own
    let last = try container.decodeIfPresent(UInt64.self, forKey: .lastEvent) ?? max(first, own)
    let attempts = try container.decodeIfPresent(Int32.self, forKey: .attempts) ?? 0
    guard first <= last, attempts >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: .lastEvent, in: container, debugDescription: "The bookkeeping makes no sense.")
    }
    let before = try Self.before(in: container)
    self.init(
      id: envelope.id, dots: first...last, kind: envelope.kind,
      createdMilliseconds: envelope.createdMilliseconds,
      changes: envelope.changes.map { $0.replacing(before: before[$0.path]) },
      baseVersion: envelope.baseVersion)
    self.attempts = Int(attempts)
    nextAttemptMilliseconds =
      try container.decodeIfPresent(UInt64.self, forKey: .nextAttemptAtMillis) ?? 0
    if try container.decodeIfPresent(Status.self, forKey: .status) == .dead {
      state = .dead(try container.decode(OperationFailure.self, forKey: .failure))
    }
  }

  private static func before(
    in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [FieldPath: Document.Value] {
    guard container.contains(.before) else { return [:] }
    let nested = try container.nestedContainer(keyedBy: MemberKey.self, forKey: .before)
    var before: [FieldPath: Document.Value] = [:]
    for name in nested.allKeys {
      before[FieldPath(name.stringValue)] = try nested.decode(Document.Value.self, forKey: name)
    }
    return before
  }
}
