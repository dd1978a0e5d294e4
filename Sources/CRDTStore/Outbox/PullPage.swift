/// Records of a collection that have changed at a remote, and where to go on.
public struct PullPage: Hashable, Sendable {
  /// The records, each at most once; deleted ones among them.
  public var records: [ServerRecord]
  /// What the next request is to begin with; `nil` where the remote keeps no place.
  public var cursor: [UInt8]?
  /// Whether there is more already.
  public var hasMore: Bool

  /// Creates a page.
  public init(records: [ServerRecord], cursor: [UInt8]?, hasMore: Bool) {
    self.records = records
    self.cursor = cursor
    self.hasMore = hasMore
  }
}

/// As JSON, an object of `schemaVersion`, `records`, `cursor` in base64, and `hasMore`.
extension PullPage: Codable {
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

  /// Decodes a page, refusing one of a newer version; `hasMore` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(.schemaVersion, of: "The page")
    self.init(
      records: try container.decode([ServerRecord].self, forKey: .records),
      cursor: try container.decodeCursor(forKey: .cursor),
      hasMore: try container.decodeIfPresent(Bool.self, forKey: .hasMore) ?? false)
  }
}
