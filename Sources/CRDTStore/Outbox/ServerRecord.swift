public import CRDTKit

extension Outbox {
  /// A record in its server's form.
  public struct ServerRecord: Hashable, Sendable {
    /// The identifier of the record.
    public var record: Document.RecordID
    /// Its version at the server: an opaque string that only the server understands.
    public var version: String
    /// Its fields, by name; none if it is deleted.
    public var fields: [String: Document.Value]
    /// Whether it is deleted at the server.
    public var isDeleted: Bool
    /// When it was last changed, in milliseconds since 1970 by the server's clock.
    ///
    /// Under `Schema.FieldRule.lastWriterWins` it decides between the server's value and a pending
    /// edit. Without it, the server's value counts as older than the pending edit.
    public var modifiedMilliseconds: UInt64?
    /// When fields were last changed, by their top-level names, if the server tracks that.
    ///
    /// For a missing field, ``modifiedMilliseconds`` counts.
    public var fieldMilliseconds: [String: UInt64]

    /// Creates a record of a server.
    public init(
      record: Document.RecordID, version: String, fields: [String: Document.Value],
      isDeleted: Bool = false, modifiedMilliseconds: UInt64? = nil,
      fieldMilliseconds: [String: UInt64] = [:]
    ) {
      self.record = record
      self.version = version
      self.fields = fields
      self.isDeleted = isDeleted
      self.modifiedMilliseconds = modifiedMilliseconds
      self.fieldMilliseconds = fieldMilliseconds
    }
  }
}

extension Outbox.ServerRecord {
  /// When the record was last changed, as the time of a stamp; `nil` if the server gives
  /// none.
  var time: UInt64? { Self.time(modifiedMilliseconds) }

  /// When a field was last changed, given its top-level name.
  func time(of field: String) -> UInt64? {
    fieldMilliseconds[field].map { Self.time($0) } ?? time
  }

  /// The server's value counts as the last write of its millisecond, so that all apps
  /// decide alike.
  private static func time(_ milliseconds: UInt64?) -> UInt64? {
    milliseconds.map { min($0, HybridTimestamp.maximumMilliseconds) << 16 | 0xFFFF }
  }
}

/// The JSON form is an object of `schemaVersion`, `entityType`, `entityId`, `version`,
/// `fields`, `isDeleted`, `modifiedAtMillis` and `fieldsModifiedAtMillis`, which is an
/// object of numbers.
extension Outbox.ServerRecord: Codable {
  private enum CodingKeys: String, CodingKey {
    case schemaVersion, entityType, entityId, version, fields, isDeleted, modifiedAtMillis
    case fieldsModifiedAtMillis
  }

  /// Encodes the record.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ServerFormatVersion.current, forKey: .schemaVersion)
    try container.encode(record.collection, forKey: .entityType)
    try container.encode(record.record, forKey: .entityId)
    try container.encode(version, forKey: .version)
    try container.encode(Document.Value.object(fields).sayingMoments, forKey: .fields)
    try container.encode(isDeleted, forKey: .isDeleted)
    try container.encodeIfPresent(modifiedMilliseconds, forKey: .modifiedAtMillis)
    if !fieldMilliseconds.isEmpty {
      try container.encode(fieldMilliseconds, forKey: .fieldsModifiedAtMillis)
    }
  }

  /// Decodes a record.
  ///
  /// Rejects one that no document can hold, or that has a newer version.
  ///
  /// `version` may be a number or a string; `fields`, `isDeleted` and the times may be
  /// missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The record")
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
    fieldMilliseconds =
      try container.decodeIfPresent([String: UInt64].self, forKey: .fieldsModifiedAtMillis) ?? [:]
  }
}

extension Outbox {
  /// A request for the changes of a collection.
  public struct PullRequest: Hashable, Sendable {
    /// The collection.
    public var collection: String
    /// The cursor of the previous page; `nil` to begin at the start.
    ///
    /// It is opaque: only the server understands it.
    public var cursor: [UInt8]?
    /// The largest number of records in the page.
    public let limit: Int

    /// The greatest limit.
    public static var maximumLimit: Int { 200 }

    /// Creates a request; a limit outside of 1 to ``maximumLimit`` becomes the nearest one.
    public init(collection: String, cursor: [UInt8]? = nil, limit: Int = Self.maximumLimit) {
      self.collection = collection
      self.cursor = cursor
      self.limit = min(max(limit, 1), Self.maximumLimit)
    }
  }
}

/// The JSON form is an object of `schemaVersion`, `entityType`, `cursor` in base64, and
/// `limit`.
extension Outbox.PullRequest: Codable {
  private enum CodingKeys: String, CodingKey {
    case schemaVersion, entityType, cursor, limit
  }

  /// Encodes the request.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ServerFormatVersion.current, forKey: .schemaVersion)
    try container.encode(collection, forKey: .entityType)
    try container.encodeCursor(cursor, forKey: .cursor)
    try container.encode(limit, forKey: .limit)
  }

  /// Decodes a request and rejects a newer version.
  ///
  /// A missing limit is ``maximumLimit``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The request")
    self.init(
      collection: try container.decode(String.self, forKey: .entityType),
      cursor: try container.decodeCursor(forKey: .cursor),
      limit: try container.decodeIfPresent(Int.self, forKey: .limit) ?? Self.maximumLimit)
  }
}

extension Outbox {
  /// A page of changed records of a collection, and the cursor of the next page.
  public struct PullPage: Hashable, Sendable {
    /// The records, each at most once, including deleted ones.
    public var records: [Outbox.ServerRecord]
    /// The cursor of the next request; `nil` if the server has no cursors.
    public var cursor: [UInt8]?
    /// Whether there are more records now.
    public var hasMore: Bool

    /// Creates a page.
    public init(records: [Outbox.ServerRecord], cursor: [UInt8]?, hasMore: Bool) {
      self.records = records
      self.cursor = cursor
      self.hasMore = hasMore
    }
  }
}

/// The JSON form is an object of `schemaVersion`, `records`, `cursor` in base64, and
/// `hasMore`.
extension Outbox.PullPage: Codable {
  private enum CodingKeys: String, CodingKey {
    case schemaVersion, records, cursor, hasMore
  }

  /// Encodes the page.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ServerFormatVersion.current, forKey: .schemaVersion)
    try container.encode(records, forKey: .records)
    try container.encodeCursor(cursor, forKey: .cursor)
    try container.encode(hasMore, forKey: .hasMore)
  }

  /// Decodes a page and rejects a newer version.
  ///
  /// `hasMore` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The page")
    self.init(
      records: try container.decode([Outbox.ServerRecord].self, forKey: .records),
      cursor: try container.decodeCursor(forKey: .cursor),
      hasMore: try container.decodeIfPresent(Bool.self, forKey: .hasMore) ?? false)
  }
}
