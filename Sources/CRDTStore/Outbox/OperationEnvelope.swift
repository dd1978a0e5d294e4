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
