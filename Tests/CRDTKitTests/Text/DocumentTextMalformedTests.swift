import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Bytes of documents with several texts that no replica wrote: nothing traps, and what
/// decodes can be read, written and merged.
@Suite("Malformed texts of documents")
struct DocumentTextMalformedTests {
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "title": .text])])
  private static let fields: [FieldPath] = ["body", "title"]
  private static let (phone, laptop) = (ReplicaID(1), ReplicaID(0x1234_5678_9ABC_DEF0))

  private static func edit(
    _ document: inout Document, _ field: FieldPath, at milliseconds: UInt64, by replica: ReplicaID,
    _ body: (inout Document.TextEditor) -> Void
  ) {
    document.edit(at: HybridTimestamp(milliseconds: milliseconds, replica: replica)) {
      $0.editText(field, of: "n", in: "notes", body)
    }
  }

  private static let base: Document = {
    var document = Document(schema: schema)
    edit(&document, "body", at: 1, by: phone) { $0.append("The first text of two\n") }
    edit(&document, "title", at: 2, by: phone) { $0.append("漢 title") }
    return document
  }()

  private static let document: Document = {
    var (document, undo) = (base, UndoStack(for: phone))
    edit(&document, "body", at: 3, by: phone) { body in
      undo.edit(&body) { $0.removeSubrange($0.range(4..<10)) }
      undo.undo(in: &body)
      body.append("seventeen letters")
    }
    edit(&document, "title", at: 4, by: laptop) { title in
      title.insert("a", at: title.text.startIndex)
      title.removeSubrange(title.range(3..<6))
    }
    edit(&document, "body", at: 5, by: laptop) { $0.insert("b", at: $0.text.startIndex) }
    return document
  }()

  private static let samples: [(name: String, bytes: [UInt8], isDelta: Bool)] = [
    ("state", document.encoded(), false),
    ("delta", document.delta(since: base.version).encoded(), true),
  ]

  /// Decodes the bytes and uses what they hold; returns whether there was something.
  private func examine(
    _ sample: (name: String, bytes: [UInt8], isDelta: Bool), _ bytes: [UInt8], _ what: String
  ) -> Bool {
    var document = Self.base
    if sample.isDelta {
      guard let delta = try? TableDelta<Document>(decoding: bytes) else { return false }
      if delta.encoded() != bytes { Issue.record("\(sample.name), \(what): encoded otherwise") }
      _ = try? document.apply(delta)
    } else {
      guard let decoded = try? Document(decoding: bytes, schema: Self.schema) else { return false }
      if decoded.encoded() != bytes { Issue.record("\(sample.name), \(what): encoded otherwise") }
      document = decoded
    }
    // Everything is tried with one in eight; in long runs, with all.
    let isSampled = isLongRun || bytes.reduce(0) { $0 + Int($1) } % 8 == 0
    if isSampled { use(document) } else { read(document) }
    return true
  }

  private func use(_ document: Document) {
    for merged in [document, document.merging(Self.document), Self.document.merging(document)] {
      read(merged)
      var edited = merged
      for field in Self.fields {
        Self.edit(&edited, field, at: 9, by: ReplicaID(0x5757)) { text in
          text.append("+")
          text.removeSubrange(text.range(0..<1))
        }
      }
      read(edited)
    }
  }

  private func read(_ document: Document) {
    document._table.checkEveryInvariant()
    for field in Self.fields {
      guard let text = document.text(of: field, of: "n", in: "notes") else { continue }
      #expect(text.count(in: .utf8) == String(text).utf8.count)
    }
    _ = document.contentDigest
  }

  @Test("every truncation is refused, and what is whole is sound")
  func truncations() {
    for sample in Self.samples {
      #expect(examine(sample, sample.bytes, "as it is"))
      for length in 0..<sample.bytes.count {
        #expect(!examine(sample, sealed(Array(sample.bytes.prefix(length))), "cut to \(length)"))
      }
    }
  }

  @Test("every byte changed, behind a checksum that fits")
  func bytes() {
    var decoded = 0
    for sample in Self.samples {
      forEachChangedByte(
        of: sample.bytes, to: [0xFF], flipping: [1, 4], adding: [0x10]
      ) { bytes, what in
        if examine(sample, bytes, what) { decoded += 1 }
      }
    }
    #expect(decoded > 100, "changes must get past the checksum")
  }

  @Test("random damage behind a checksum that fits")
  func damage() {
    let rounds = scheduleCount(600, long: 20_000)
    forEachDamage(of: Self.samples.map(\.bytes), rounds: rounds) { sample, bytes, what in
      _ = examine(Self.samples[sample], bytes, what)
    }
  }
}
