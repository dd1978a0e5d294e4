/// What a remote is asked for the changes of a collection with.
public struct PullRequest: Hashable, Sendable {
  /// The collection.
  public var collection: String
  /// What the last page said stands after it; `nil` to begin at the beginning.
  ///
  /// Only the remote understands it.
  public var cursor: [UInt8]?
  /// How many records the page may have.
  public let limit: Int

  /// How many records a page may have at most.
  public static var limitMax: Int { 200 }

  /// Creates a request; a limit outside of 1 to ``limitMax`` becomes the nearest one.
  public init(collection: String, cursor: [UInt8]? = nil, limit: Int = Self.limitMax) {
    self.collection = collection
    self.cursor = cursor
    self.limit = min(max(limit, 1), Self.limitMax)
  }
}

/// As JSON, an object of `schemaVersion`, `entityType`, `cursor` in base64, and `limit`.
extension PullRequest: Codable {
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

  /// Decodes a request, refusing one of a newer version; a limit that isn't there is the greatest.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The request")
    self.init(
      collection: try container.decode(String.self, forKey: .entityType),
      cursor: try container.decodeCursor(forKey: .cursor),
      limit: try container.decodeIfPresent(Int.self, forKey: .limit) ?? Self.limitMax)
  }
}
