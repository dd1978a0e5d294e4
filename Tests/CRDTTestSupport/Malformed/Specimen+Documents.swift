package import CRDTKit
import CRDTStoreTesting

extension Specimen {
  /// A document, to be merged with others.
  package static func document(
    _ name: String, _ document: Document, peers: [Document]
  ) -> Specimen {
    let isRead: @Sendable ([UInt8]) -> Bool = { (try? Document(decoding: $0)) == document }
    return Specimen(name, document, isRead: isRead) { (bytes) throws(Discrepancy) in
      guard let decoded = try? Document(decoding: bytes) else { return false }
      try check(decoded.encoded() == bytes, "decodes, but is encoded otherwise")
      try checkMerging(decoded, with: stranger)
      for peer in some(of: peers, for: bytes) {
        let both = peer.merging(decoded)
        try both._table.checkSoundness()
        guard isSampled(bytes) else { continue }
        try decoded.merging(peer)._table.checkSoundness()
        try both.tryAll()
        var taker = peer
        _ = try? taker.merge(decoding: bytes)
        try taker._table.checkSoundness()
      }
      if isSampled(bytes) { try decoded.tryAll() }
      return true
    }
  }

  /// A delta of a document, to be taken in by others.
  package static func document(
    _ name: String, of delta: TableDelta<Document>, peers: [Document]
  ) -> Specimen {
    let isRead: @Sendable ([UInt8]) -> Bool = { does($0, what: delta, to: peers) }
    return Specimen(name, delta, isRead: isRead) { (bytes) throws(Discrepancy) in
      guard let decoded = try? TableDelta<Document>(decoding: bytes) else { return false }
      try check(decoded.encoded() == bytes, "decodes, but is encoded otherwise")
      for peer in some(of: peers, for: bytes) {
        var taker = peer
        do throws(DeltaError) {
          try taker.apply(decoded)
        } catch {
          try check(taker.encoded() == peer.encoded(), "refused (\(error)), but changed")
          continue
        }
        try taker._table.checkSoundness()
        guard isSampled(bytes) else { continue }
        try taker.tryAll()
        _ = try? taker.apply(decoding: bytes)
      }
      return true
    }
  }
}

/// A document that a replica wrote which no specimen names.
private let stranger: Document = {
  var document = Document()
  document.edit(at: HybridTimestamp(milliseconds: 1_700_000_000_000, replica: ReplicaID(99))) {
    $0.set("body", of: "r", in: "c", to: "elsewhere")
    $0.set("title", of: "s", in: "e", to: 1)
  }
  return document
}()

extension Document {
  /// Reads all there is, and makes every kind of edit, under one of two schemas
  /// (in long runs, both): it must neither trap nor make what can't be read again.
  package func tryAll() throws(Discrepancy) {
    let schemas = [DocumentSamples.schema, DocumentSamples.olderSchema]
    let place = encoded().reduce(0) { $0 + Int($1) } % 2
    for schema in isLongRun ? schemas[...] : schemas[place...place] {
      var document = self
      document.schema = schema
      let reading = DocumentReading(document)
      _ = ("\(document)", document.hashValue, document.digest)
      try document.tryEdits(of: reading)
      try document._table.checkSoundness()
      guard let again = try? Document(decoding: document.encoded()) else {
        throw Discrepancy("what was made of it does not decode")
      }
      try CRDTTestSupport.check(again == document, "what was made of it decodes to another")
      try CRDTTestSupport.check(
        again.encoded() == document.encoded(), "what was made of it has other bytes")
    }
  }

  private mutating func tryEdits(of reading: DocumentReading) throws(Discrepancy) {
    let records = [DocumentRecord("r", in: "c"), DocumentRecord("s", in: "e")]
    edit(at: HybridTimestamp(milliseconds: 1_700_000_000_009, replica: ReplicaID(77))) { edit in
      for conflict in reading.conflicts {
        edit.resolve(conflict, with: conflict.sides[conflict.sides.count - 1].value)
      }
      for (place, fields) in reading.fields.sorted(by: { $0.key < $1.key }) {
        // What was read can be written, even to another record.
        for (name, value) in fields {
          edit.set(FieldPath([name]), of: "copy of \(place)", in: "c", to: value)
        }
      }
      for operation in records.flatMap(Self.operations) {
        _ = try? operation.perform(in: &edit, conflicts: reading.conflicts)
      }
    }
    _ = DocumentReading(self)
    edit(at: HybridTimestamp(milliseconds: 1_700_000_000_010, replica: ReplicaID(77))) { edit in
      edit.purge(retention: .zero)
      edit.set("title", of: "r", in: "c", to: "new")
    }
    try CRDTTestSupport.check(
      value(of: "title", of: "r", in: "c") == "new", "a write to it is not shown")
  }

  private static func operations(on record: DocumentRecord) -> [DocumentOperation] {
    var random = SeededGenerator(seed: 1)
    return [
      .set(record, ["a", "x"], 1), .set(record, ["body"], ["z": 1]), .set(record, ["tags"], ["q"]),
      .set(record, ["likes"], 3), .insert(record, ["a", "tags"], "q"),
      .removeElement(record, ["tags"], "q"), .increment(record, ["likes"], 1),
      .write(record, DocumentCard(using: &random)), .remove(record, ["body"]),
      .remove(record, ["a"]),
      .remove(record, ["likes"]), .delete(record), .restore(record), .delete(record),
    ]
  }
}
