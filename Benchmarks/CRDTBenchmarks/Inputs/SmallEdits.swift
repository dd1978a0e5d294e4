import CRDTKit

/// Edits of one field each in a document of records, and the deltas that they give
/// as a store keeps them: bodies one after another, with the names remembered.
struct SmallEdits {
  /// The document before the edits.
  let document: Document
  let deltas: [TableDelta<Document>]
  let bytes: [UInt8]
  /// Where each delta ends among the bytes.
  let ends: [Int]

  /// As many edits as given, of fields of a document of `fieldCount`: in an order
  /// that nothing can guess, or of new records field after field.
  init(_ count: Int, fieldCount: Int, isOverwriting: Bool) {
    let perRecord = Record.fieldNames.count
    let records = (0..<fieldCount / perRecord).map(Record.init)
    document = isOverwriting ? Document(records, by: .author) : Document()
    let fields = isOverwriting ? Elements.shuffled(fieldCount) : Array(0..<count)
    var edited = document
    deltas = (0..<count).map { number in
      let field = fields[number % fields.count]
      let value = Record(1_000_000 + number).values[field % perRecord]
      return Self.write(
        field % perRecord, of: Record(field / perRecord), value, number, to: &edited)
    }
    (bytes, ends) = Self.encode(deltas)
  }

  /// One edit that writes a record's field anew.
  @discardableResult
  static func write(
    _ field: Int, of record: Record, _ value: Document.Value, _ number: Int,
    to document: inout Document
  ) -> TableDelta<Document> {
    let name = FieldPath([Record.fieldNames[field]])
    return document.edit(at: .of(.author, round: number + 1)) { edit in
      edit.set(name, of: record.id, in: Record.collection, to: value)
    }
  }

  static func encode(_ deltas: [TableDelta<Document>]) -> (bytes: [UInt8], ends: [Int]) {
    var writer = ByteWriter()
    var memory: CodingMemory?
    var ends: [Int] = []
    ends.reserveCapacity(deltas.count)
    for delta in deltas {
      delta.encodeBody(to: &writer, remembering: &memory)
      ends.append(writer.count)
    }
    return (writer.finish(), ends)
  }

  /// Reads the deltas one after another and takes each in.
  func replay(into document: inout Document) throws {
    var reader = ByteReader(bytes)
    var memory: CodingMemory?
    for _ in ends {
      let delta = try TableDelta<Document>(bodyFrom: &reader, remembering: &memory)
      try document.apply(delta)
    }
  }
}
