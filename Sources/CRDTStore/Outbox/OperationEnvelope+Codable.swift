import CRDTKit

extension OperationEnvelope: Codable {
  enum CodingKeys: String, CodingKey {
    case schemaVersion
    case operationId
    case type
    case entityType
    case entityId
    case createdAtMillis
    case payload
    case increments
    case inserted
    case removed
    case dirtyFields
    case baseVersion
    case idempotencyKey
    case contentHash
  }

  /// Encodes the members that are said at ``OperationEnvelope``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.schemaVersion, forKey: .schemaVersion)
    try container.encode(id, forKey: .operationId)
    try container.encode(kind, forKey: .type)
    try container.encode(record.collection, forKey: .entityType)
    try container.encode(record.record, forKey: .entityId)
    try container.encode(createdMilliseconds, forKey: .createdAtMillis)
    let members = FieldMembers(changes)
    try members.encode(to: &container)
    try container.encodeIfPresent(baseVersion, forKey: .baseVersion)
    try container.encodeIfPresent(idempotencyKey, forKey: .idempotencyKey)
    try container.encode(contentHash, forKey: .contentHash)
  }

  /// Decodes an envelope.
  ///
  /// - Throws: `DecodingError` where the envelope is of a newer version than this
  ///   one knows, where its members contradict each other, or where no record
  ///   could take what it says.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The envelope")
    let id = try container.decode(OperationID.self, forKey: .operationId)
    let collection = try container.decodeIfPresent(String.self, forKey: .entityType)
    let record = try container.decodeIfPresent(String.self, forKey: .entityId)
    let named = Document.RecordID(
      record ?? id.record.record, in: collection ?? id.record.collection)
    guard named.hasUsableNames, named == id.record else {
      throw DecodingError.dataCorruptedError(
        forKey: .entityId, in: container,
        debugDescription: "The operation '\(id)' is not one of record \(named).")
    }
    self.init(
      id: id, kind: try container.decode(OperationKind.self, forKey: .type),
      createdMilliseconds: try container.decodeIfPresent(UInt64.self, forKey: .createdAtMillis)
        ?? 0,
      changes: try FieldMembers(from: container).changes(in: container),
      baseVersion: try container.decodeIfPresent(String.self, forKey: .baseVersion))
    idempotencyKey = try container.decodeIfPresent(String.self, forKey: .idempotencyKey)
  }
}
