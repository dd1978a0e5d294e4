public import CRDTKit

extension Outbox {
  /// An operation in the form that a server receives: the changes without bookkeeping.
  ///
  /// The JSON form is an object of these members. A reader treats all but the first two as
  /// empty or unknown if they are missing, and ignores unknown members.
  ///
  /// | member | what it holds |
  /// |---|---|
  /// | `operationId` | the text of the ``id``: the idempotency key |
  /// | `type` | `create`, `update` or `delete` |
  /// | `schemaVersion` | 2; 3 if there are `edits` |
  /// | `entityType`, `entityId` | the names of the collection and of the record, as in `operationId` |
  /// | `createdAtMillis` | when the commit was made, in milliseconds since 1970 |
  /// | `payload` | the assigned values of fields, by the text of their path |
  /// | `increments` | the amounts by which counters change |
  /// | `inserted`, `removed` | the elements that are added to and removed from sets |
  /// | `edits` | the edits of texts and lists, if the collection is ``ServerAccess/queuedAsEdits`` |
  /// | `dirtyFields` | the paths of all changed fields, in order; a field that is in none of the members above is removed |
  /// | `baseVersion` | the server version that the change is based on |
  /// | `idempotencyKey` | the app's own key of the attempt, if there is one |
  /// | `contentHash` | 32 hexadecimal digits, the same for equal changes of a record alone |
  ///
  /// The previous values of fields are not sent. Values are plain JSON, timestamps are ISO
  /// 8601 strings, decimals are strings, and bytes are `{"$bytes": "aGk="}`. See
  /// <doc:ServerFormat> for examples.
  public struct Envelope: Hashable, Sendable {
    /// The operation's identifier.
    ///
    /// A server must not apply the same operation twice.
    public var id: Outbox.OperationID
    /// Whether the record is created, updated or deleted.
    public var kind: Outbox.OperationKind
    /// When the commit was made, in milliseconds since 1970 by its replica's clock.
    public var createdMilliseconds: UInt64
    /// The changes of the record's fields, in order; without those in ``edits``.
    public var changes: [Document.FieldChange]
    /// The changes of texts and lists as edits, if the record's collection is
    /// ``ServerAccess/queuedAsEdits``.
    ///
    /// They are edits of the field as it is in the version ``baseVersion`` of the record, in
    /// ascending order, each counted after those before it are made.
    /// `applying(_:)` of ``Document/Value`` applies them.
    public var edits: [FieldPath: [Outbox.Edit]] = [:]
    /// The server version of the record that the change is based on.
    public var baseVersion: String?
    /// The app's own key of the attempt that the operation belongs to, if it has one.
    ///
    /// You pass it to ``Outbox/performOnline(idempotencyKey:_:)``. The ``id`` is derived from
    /// it, so a server may ignore it.
    public var idempotencyKey: String?

    /// Creates an envelope.
    public init(
      id: Outbox.OperationID, kind: Outbox.OperationKind, createdMilliseconds: UInt64,
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
}

extension Outbox.Envelope {
  /// The newest version of envelopes that this package reads, and that of those with ``edits``.
  ///
  /// Without edits, an envelope is of version 2. A reader that doesn't know of edits would take
  /// their fields as removed, so it must refuse them.
  public static var schemaVersion: Int { 3 }

  /// The record that is changed.
  public var record: Document.RecordID { id.record }

  /// A hash of the record's changes: the first 16 bytes of a SHA-256 digest, as 32
  /// hexadecimal digits.
  ///
  /// Equal changes of a record have equal hashes; finding different changes with the same
  /// hash is infeasible. Two operations with the same hash are still two operations: only
  /// ``id`` shows a repetition.
  ///
  /// - Complexity: O(size of the changes).
  public var contentHash: String {
    var writer = ByteWriter()
    kind.encode(to: &writer)
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    changes.map { $0.replacing(before: nil).sayingMoments }.encode(to: &writer)
    for (path, edits) in edits.sorted(by: { $0.key < $1.key }) {
      path.names.encode(to: &writer)
      writer.write(varint: UInt64(edits.count))
      for edit in edits { edit.sayingMoments.encode(to: &writer) }
    }
    return writer.withBytes { ShortDigest(of: $0) }.description
  }
}

extension Outbox.Envelope: Codable {
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
    case edits
    case dirtyFields
    case baseVersion
    case idempotencyKey
    case contentHash
  }

  /// Encodes the members listed at ``Outbox/Envelope``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(
      edits.isEmpty ? ServerFormatVersion.current : Self.schemaVersion, forKey: .schemaVersion)
    try container.encode(id, forKey: .operationId)
    try container.encode(kind, forKey: .type)
    try container.encode(record.collection, forKey: .entityType)
    try container.encode(record.record, forKey: .entityId)
    try container.encode(createdMilliseconds, forKey: .createdAtMillis)
    let members = FieldMembers(changes, edits)
    try members.encode(to: &container)
    try container.encodeIfPresent(baseVersion, forKey: .baseVersion)
    try container.encodeIfPresent(idempotencyKey, forKey: .idempotencyKey)
    try container.encode(contentHash, forKey: .contentHash)
  }

  /// Decodes an envelope.
  ///
  /// - Throws: `DecodingError` if the envelope has an unknown newer version, if its members
  ///   contradict each other, or if no record can hold its content.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try container.requireKnownVersion(
      .schemaVersion, of: "The envelope", upTo: Self.schemaVersion)
    let id = try container.decode(Outbox.OperationID.self, forKey: .operationId)
    let collection = try container.decodeIfPresent(String.self, forKey: .entityType)
    let record = try container.decodeIfPresent(String.self, forKey: .entityId)
    let named = Document.RecordID(
      record ?? id.record.record, in: collection ?? id.record.collection)
    guard named.hasUsableNames, named == id.record else {
      throw DecodingError.dataCorruptedError(
        forKey: .entityId, in: container,
        debugDescription: "The operation '\(id)' is not one of record \(named).")
    }
    let members = try FieldMembers(from: container)
    self.init(
      id: id, kind: try container.decode(Outbox.OperationKind.self, forKey: .type),
      createdMilliseconds: try container.decodeIfPresent(UInt64.self, forKey: .createdAtMillis)
        ?? 0,
      changes: try members.changes(in: container),
      baseVersion: try container.decodeIfPresent(String.self, forKey: .baseVersion))
    edits = members.edits
    idempotencyKey = try container.decodeIfPresent(String.self, forKey: .idempotencyKey)
  }
}

extension KeyedEncodingContainer {
  /// Encodes the bytes of a cursor in base64, if there is one.
  mutating func encodeCursor(_ cursor: [UInt8]?, forKey key: Key) throws {
    try encodeIfPresent(cursor.map { Base64.text(of: $0) }, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes the bytes of a cursor, if there is one.
  func decodeCursor(forKey key: Key) throws -> [UInt8]? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    guard let bytes = Base64.bytes(of: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "A cursor is bytes in base64, not '\(text)'.")
    }
    return bytes
  }
}

/// The version of the messages between an outbox and a server: ``Outbox/Envelope`` without edits,
/// ``Outbox/Answer``, ``Outbox/PullRequest``, ``Outbox/PullPage`` and ``Outbox/ServerRecord``.
///
/// Each message has it in its member `schemaVersion`. A message without one is read as the
/// current version.
enum ServerFormatVersion {
  /// The version that is written, and the newest that is read.
  ///
  /// In version 1, timestamps were objects with a member `$timestamp`, and decimals had the
  /// form of their type.
  static let current = 2
}

extension KeyedDecodingContainer {
  /// Throws if a newer version wrote the message.
  func requireKnownVersion(
    _ key: Key, of what: String, upTo newest: Int = ServerFormatVersion.current
  ) throws {
    let version = try decodeIfPresent(Int.self, forKey: key) ?? newest
    guard (1...newest).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "\(what) is of schema version \(version), and this version of "
          + "CRDTStore reads 1 to \(newest): update the app.")
    }
  }
}
