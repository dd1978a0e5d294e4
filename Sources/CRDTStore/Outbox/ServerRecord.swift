public import CRDTKit

/// A record as a server has it.
public struct ServerRecord: Hashable, Sendable {
  /// Which record it is.
  public var record: Document.RecordID
  /// Its version at the server: a text that only the server understands.
  public var version: String
  /// Its fields, by name; none where it is deleted.
  public var fields: [String: Document.Value]
  /// Whether it is deleted at the server.
  public var isDeleted: Bool
  /// When it was last changed, in milliseconds since 1970 by the server's clock.
  public var modifiedMilliseconds: UInt64?

  /// Creates a record of a server.
  public init(
    record: Document.RecordID, version: String, fields: [String: Document.Value],
    isDeleted: Bool = false, modifiedMilliseconds: UInt64? = nil
  ) {
    self.record = record
    self.version = version
    self.fields = fields
    self.isDeleted = isDeleted
    self.modifiedMilliseconds = modifiedMilliseconds
  }
}

/// As JSON, an object of `entityType`, `entityId`, `version`, `fields`, `isDeleted` and
/// `modifiedAtMillis`.
extension ServerRecord: Codable {
  private enum CodingKeys: String, CodingKey {
    case entityType, entityId, version, fields, isDeleted, modifiedAtMillis
  }

  /// Encodes the record.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(record.collection, forKey: .entityType)
    try container.encode(record.record, forKey: .entityId)
    try container.encode(version, forKey: .version)
    try container.encode(Document.Value.object(fields), forKey: .fields)
    try container.encode(isDeleted, forKey: .isDeleted)
    try container.encodeIfPresent(modifiedMilliseconds, forKey: .modifiedAtMillis)
  }

  /// Decodes a record, refusing one that no document could hold.
  ///
  /// A version may be a number as well as a text; `fields` and `isDeleted` may be
  /// missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    record = Document.RecordID(
      try container.decode(String.self, forKey: .entityId),
      in: try container.decode(String.self, forKey: .entityType))
    guard record.hasUsableNames else {
      throw DecodingError.dataCorruptedError(
        forKey: .entityId, in: container, debugDescription: "The name of the record is too long.")
    }
    if let number = try? container.decode(Int64.self, forKey: .version) {
      version = "\(number)"
    } else {
      version = try container.decode(String.self, forKey: .version)
    }
    switch try container.decodeIfPresent(Document.Value.self, forKey: .fields) {
    case .object(let fields)?: self.fields = fields
    case nil: fields = [:]
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .fields, in: container, debugDescription: "The fields are no object.")
    }
    isDeleted = try container.decodeIfPresent(Bool.self, forKey: .isDeleted) ?? false
    modifiedMilliseconds = try container.decodeIfPresent(UInt64.self, forKey: .modifiedAtMillis)
  }
}
