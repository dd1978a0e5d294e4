/// Collections of records with fields, under one causal history: an app's data.
///
/// Every copy can be edited independently, and copies merge without losing a change. A
/// document merges a record's fields one by one, each under the rule that the ``schema``
/// gives it. All copies hold the same rows, and a rule only decides how they are read. So
/// you can change rules at any time, and a value that was written concurrently is never
/// lost without a trace.
///
///     var notes = Document(schema: schema)
///     notes.edit(at: clock.now(wallMilliseconds: wall)) { edit in
///       edit.set("title", of: "n1", in: "notes", to: "Moon")
///     }
///     notes.value(of: "title", of: "n1", in: "notes")         // "Moon"
///
/// A document merges, has versions and deltas, and is encoded like the other types: see
/// ``TableBacked``. A copy is a branch, and must write under a replica identifier of its
/// own. Documents are equal if they have applied the same events, whatever their schemas.
public struct Document: TableBacked, MapValue {
  /// The rows: one for each value of a field, element of a set, replica of a
  /// counter, and one for each record.
  public var _table: DotTable<RowKey, RowPayload>

  /// The rules under which fields are written and read.
  ///
  /// A schema belongs to this copy and is neither merged nor encoded. Copies with
  /// different schemas hold the same data and read it differently. A document from
  /// ``BinaryCodable/init(decoding:)`` has the default rules until you set others, and
  /// reads under them without a warning. Use ``init(decoding:schema:)`` to set the rules
  /// at once.
  public var schema: Schema

  /// Creates a document without records or events.
  public init(schema: Schema = Schema()) {
    _table = DotTable()
    self.schema = schema
  }

  /// Creates the document with a table's rows, under the default rules.
  public init(_table table: DotTable<RowKey, RowPayload>) {
    _table = table
    schema = Schema()
  }

  /// Decodes a document, and sets its schema.
  ///
  /// - Complexity: O(`bytes.count`), in time and in memory.
  /// - Throws: ``DecodingFailure`` if the bytes are not a valid encoding.
  public init(
    decoding bytes: some Collection<UInt8>, schema: Schema
  ) throws(DecodingFailure) {
    try self.init(decoding: bytes)
    self.schema = schema
  }

  /// The type code of documents.
  public static var typeCode: [UInt8] { [42] }
}

extension Document {
  /// Whether both have applied the same events, whatever their schemas.
  public static func == (left: Document, right: Document) -> Bool {
    left._table == right._table
  }

  /// Hashes the applied events, but not the schema.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_table)
  }
}

extension Document {
  /// The identity of a record: its name and its collection.
  ///
  /// Names that are equal as Swift strings, in any normalization, identify the same
  /// record.
  public struct RecordID: Codable, Sendable {
    /// The name of the collection.
    public let collection: String
    /// The name of the record.
    public let record: String

    /// Creates the identifier of a record in a collection.
    public init(_ record: String, in collection: String) {
      self.record = record
      self.collection = collection
    }
  }
}

extension Document.RecordID {
  init(_ place: Document.Place) {
    self.init(place.record, in: place.collection)
  }
}

extension Document.RecordID: Hashable {
  /// Whether both name the same record.
  public static func == (left: Self, right: Self) -> Bool {
    KeyIdentity.areSame(left.record, right.record)
      && KeyIdentity.areSame(left.collection, right.collection)
  }

  /// Hashes both names.
  public func hash(into hasher: inout Hasher) {
    KeyIdentity.hash(collection, into: &hasher)
    KeyIdentity.hash(record, into: &hasher)
  }
}

extension Document.RecordID: Comparable {
  /// Orders identifiers by collection, then by record, each in the order of strings.
  public static func < (left: Self, right: Self) -> Bool {
    KeyIdentity.areSame(left.collection, right.collection)
      ? KeyIdentity.areInOrder(left.record, right.record)
      : KeyIdentity.areInOrder(left.collection, right.collection)
  }
}

extension Document.RecordID: CustomStringConvertible {
  /// The record and its collection.
  public var description: String { "\(record.visible) in \(collection.visible)" }
}

extension KeyIdentity {
  /// Whether one text comes before a different one.
  ///
  /// Texts that are compared as bytes come after all others, so the order agrees with
  /// equality.
  fileprivate static func areInOrder(_ left: String, _ right: String) -> Bool {
    let isLong = (
      left.utf8.count > normalizedLengthMax, right.utf8.count > normalizedLengthMax
    )
    switch isLong {
    case (false, false): return left < right
    case (true, true): return left.comes(before: right)
    case (let isLeftLong, _): return !isLeftLong
    }
  }
}
