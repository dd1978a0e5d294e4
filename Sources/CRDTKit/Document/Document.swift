/// Many records with fields under one causal history: an app's data, of which
/// every copy can be changed and all copies can be made one again.
///
/// A document holds collections of records; a record's fields are merged one by
/// one, each under the rule that the ``schema`` gives it. Whose value a field
/// shows is a reading of what all copies hold alike, so rules can be changed at
/// any time, and no value that was written concurrently is lost without a trace.
///
///     var notes = Document(schema: schema)
///     notes.edit(at: clock.now(wallMilliseconds: wall)) { edit in
///       edit.set("title", of: "n1", in: "notes", to: "Moon")
///     }
///     notes.value(of: "title", of: "n1", in: "notes")         // "Moon"
///
/// It merges, has versions and deltas, and is encoded as the other types are:
/// see ``TableBacked``. A copy is a branch, which writes under a replica
/// identifier of its own. Documents are equal if they have taken in the same
/// events, whatever their schemas.
public struct Document: TableBacked {
  /// The rows: one for each value of a field, element of a set, replica of a
  /// counter, and one for each record.
  public var table: DotTable<RowKey, RowPayload>

  /// The rules under which fields are written and read.
  ///
  /// A schema belongs to this copy and is neither merged nor encoded: copies with
  /// different ones hold the same data, and read it differently. A document that is
  /// decoded by ``BinaryCodable/init(decoding:)`` has the default rules until it is given
  /// others, and reads under them without a word: ``init(decoding:schema:)`` takes the
  /// rules at once.
  public var schema: Schema

  /// Creates a document without records that has seen nothing.
  public init(schema: Schema = Schema()) {
    table = DotTable()
    self.schema = schema
  }

  /// Creates the document that a table's rows read as, under the default rules.
  public init(table: DotTable<RowKey, RowPayload>) {
    self.table = table
    schema = Schema()
  }

  /// Creates the document that the bytes hold, under a schema.
  ///
  /// - Complexity: O(`bytes.count`), in time and in memory.
  /// - Throws: ``DecodingFailure`` where the bytes are not wholly in order.
  public init(decoding bytes: [UInt8], schema: Schema) throws(DecodingFailure) {
    try self.init(decoding: bytes)
    self.schema = schema
  }

  /// The code of documents.
  public static var typeCode: [UInt8] { [42] }
}

extension Document {
  /// Whether both have taken in the same events, whatever their schemas.
  public static func == (left: Document, right: Document) -> Bool {
    left.table == right.table
  }

  /// Takes in what was taken in, and not the schema.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(table)
  }
}

extension Document {
  /// Which record it is: its name, and the collection that it is in.
  ///
  /// Names that are equal as texts, in whatever spelling, are those of one record.
  public struct RecordID: Sendable {
    /// The name of the collection.
    public let collection: String
    /// The name of the record.
    public let record: String

    /// Creates the name of a record in a collection.
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

  /// Takes in both names.
  public func hash(into hasher: inout Hasher) {
    KeyIdentity.hash(collection, into: &hasher)
    KeyIdentity.hash(record, into: &hasher)
  }
}

extension Document.RecordID: Comparable {
  /// Whether one comes first: by collection, then by record, each as texts are
  /// ordered.
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
  /// Whether one text comes before another that isn't the same.
  ///
  /// Those that are compared as bytes come after all others: so the order agrees
  /// with what is the same.
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
