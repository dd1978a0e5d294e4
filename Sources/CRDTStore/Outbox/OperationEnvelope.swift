public import CRDTKit

/// An operation as a server is sent it: what is to be done, and no bookkeeping.
///
/// As JSON it is an object of these members; a reader takes all but the first two
/// for empty or unknown where they are missing, and passes over members that it
/// doesn't know.
///
/// | member | what it holds |
/// |---|---|
/// | `operationId` | the text of the ``id``: the idempotency key |
/// | `type` | `create`, `update` or `delete` |
/// | `schemaVersion` | 2 |
/// | `entityType`, `entityId` | the names of the collection and of the record, as in `operationId` |
/// | `createdAtMillis` | when the commit was made, in milliseconds since 1970 |
/// | `payload` | the values that fields get, by the text of their path |
/// | `increments` | by how much counters go up or down |
/// | `inserted`, `removed` | the elements that sets get and lose |
/// | `dirtyFields` | the paths of all fields that change, in order; one that is in none of the members before is taken away |
/// | `baseVersion` | the version at the server that the change was made on |
/// | `idempotencyKey` | the app's own name of the attempt, where it has given one |
/// | `contentHash` | 32 hexadecimal digits, the same for equal changes of a record alone |
///
/// What fields held before is not sent. Values are JSON as it is, moments texts of ISO
/// 8601, decimals texts, and bytes `{"$bytes": "aGk="}`: see <doc:ServerFormat>, which has
/// examples.
public struct OperationEnvelope: Hashable, Sendable {
  /// Which operation it is: one that comes again is not to be done again.
  public var id: OperationID
  /// What is done to the record as a whole.
  public var kind: OperationKind
  /// When the commit was made, in milliseconds since 1970 by its replica's clock.
  public var createdMilliseconds: UInt64
  /// What is done to the record's fields, in order.
  public var changes: [Document.FieldChange]
  /// The version of the record at the server that the change was made on.
  public var baseVersion: String?
  /// The app's own name of the attempt that the operation belongs to, if it has one.
  ///
  /// It was given to ``Outbox/performOnline(idempotencyKey:_:)``. The ``id`` is made of it,
  /// so a server may pass over it.
  public var idempotencyKey: String?

  /// Creates what a server is sent.
  public init(
    id: OperationID, kind: OperationKind, createdMilliseconds: UInt64,
    changes: [Document.FieldChange],
    baseVersion: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.createdMilliseconds = createdMilliseconds
    self.changes = changes
    self.baseVersion = baseVersion
  }
}

extension OperationEnvelope {
  /// The version of the envelope that this version of the package writes, and the
  /// newest that it reads.
  public static var schemaVersion: Int { ServerFormatVersion.current }

  /// The record that is changed.
  public var record: Document.RecordID { id.record }

  /// Thirty-two hexadecimal digits that are the same for equal changes of a record, and
  /// for no others: the first 16 bytes of a digest by SHA-256.
  ///
  /// Nobody can find two changes of one hash. Two operations of one hash are still two,
  /// which do the same: only ``id`` says whether one came twice.
  ///
  /// - Complexity: O(size of the changes).
  public var contentHash: String {
    var writer = ByteWriter()
    kind.encode(to: &writer)
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    changes.map { $0.replacing(before: nil).sayingMoments }.encode(to: &writer)
    return writer.withBytes { ShortDigest(of: $0) }.description
  }
}

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

extension KeyedEncodingContainer {
  /// Encodes the bytes of a cursor in base64, if there are any.
  mutating func encodeCursor(_ cursor: [UInt8]?, forKey key: Key) throws {
    try encodeIfPresent(cursor.map { Base64.text(of: $0) }, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes the bytes of a cursor, if there are any.
  func decodeCursor(forKey key: Key) throws -> [UInt8]? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let bytes = Base64.bytes(of: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "A cursor is bytes in base64, not '\(text)'.")
    }
    return bytes
  }
}

/// The version of what an outbox and a server say to each other: of ``OperationEnvelope``,
/// ``OperationAnswer``, ``PullRequest``, ``PullPage`` and ``ServerRecord``.
///
/// Each says it in its member `schemaVersion`; without one, it is what this version reads.
enum ServerFormatVersion {
  /// What is written, and the newest that is read.
  ///
  /// In version 1, moments were objects of a member `$timestamp`, and decimals what their
  /// type keeps.
  static let current = 2
}

extension KeyedDecodingContainer {
  /// Refuses what a newer version has written.
  func requireKnownVersion(_ key: Key, of what: String) throws {
    let version = try decodeIfPresent(Int.self, forKey: key) ?? ServerFormatVersion.current
    guard (1...ServerFormatVersion.current).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "\(what) is of schema version \(version), and this version of "
          + "CRDTStore reads 1 to \(ServerFormatVersion.current): update the app.")
    }
  }
}
