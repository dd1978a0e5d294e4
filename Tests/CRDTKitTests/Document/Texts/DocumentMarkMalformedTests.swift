import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// Rows of marks in documents that no replica wrote: nothing traps, no other text shows their
/// marks, and what decodes can be read, marked, written and merged.
@Suite("Malformed marks in documents")
struct DocumentMarkMalformedTests {
  private typealias RowKey = Document.RowKey
  private typealias Content = Document.RowPayload.Content
  private typealias MarkRow = ReplicatedText.MarkRow

  private static let (phone, laptop) = (ReplicaID(1), ReplicaID(0x1234_5678_9ABC_DEF0))
  private static let stranger = ReplicaID(0x5757)
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "about": .text])])
  private static let texts: [(record: String, field: FieldPath)] = [
    ("n1", "body"), ("n1", "about"), ("n2", "body"),
  ]

  private static func stamp(_ time: UInt64, _ replica: ReplicaID) -> HybridTimestamp {
    HybridTimestamp(milliseconds: time, replica: replica)
  }

  private static let base: Document = {
    var notes = Document(schema: schema)
    notes.edit(at: stamp(1, phone)) { edit in
      for (record, field) in texts {
        edit.set(field, of: record, in: "notes", to: "The f\u{F6}x 👍")
      }
      edit.set("number", of: "n1", in: "notes", to: 5)
      edit.editText("body", of: "n1", in: "notes") { $0.mark($0.range(4..<7), as: "bold") }
    }
    return notes
  }()

  private static let notes: Document = {
    var (notes, copy) = (base, base)
    notes.edit(at: stamp(2, phone)) { edit in
      edit.editText("body", of: "n1", in: "notes") { body in
        body.mark(body.range(0..<8), as: "link", value: "a", growing: .neither)
        body.removeSubrange(body.range(5..<7))
      }
    }
    copy.edit(at: stamp(3, laptop)) { edit in
      edit.editText("body", of: "n1", in: "notes") { body in
        body.unmark(body.range(2..<5), as: "bold")
        body.mark(body.range(5..<9), as: "link", value: "漢", growing: .both)
      }
      edit.editText("about", of: "n1", in: "notes") { $0.mark($0.range(1..<3), as: "bold") }
    }
    return notes.merging(copy)
  }()

  private static let samples: [(name: String, bytes: [UInt8], isDelta: Bool)] = [
    ("state", notes.encoded(), false),
    ("delta", notes.delta(since: base.version).encoded(), true),
  ]

  /// The marks of each character of a text; `nil` if there is no text.
  private func marks(_ place: Int, _ document: Document) -> [[String: String]]? {
    let (record, field) = Self.texts[place]
    return document.text(of: field, of: record, in: "notes").map { text in
      text.runs.flatMap { run in
        Array(repeating: run.marks, count: text[run.range].unicodeScalars.count)
      }
    }
  }

  private func read(_ document: Document) -> String? {
    document._table.checkEveryInvariant()
    guard let decoded = try? document.readBack() else { return "not decoded" }
    for (place, (record, field)) in Self.texts.enumerated() {
      guard let text = document.text(of: field, of: record, in: "notes") else { continue }
      let runs = Array(text.runs)
      if runs.map({ text[$0.range] }).joined() != String(text) { return "the runs lack text" }
      if zip(runs, runs.dropFirst()).contains(where: { $0.marks == $1.marks }) {
        return "runs with the same marks"
      }
      if marks(place, decoded) != marks(place, document) { return "other marks after decoding" }
    }
    for record in ["n1", "n2"] {
      let fields = document.fields(of: record, in: "notes")
      if decoded.fields(of: record, in: "notes") != fields { return "other fields after decoding" }
    }
    return nil
  }

  /// What is wrong with a document, and with what becomes of it.
  private func use(_ document: Document) -> String? {
    for merged in [document, document.merging(Self.notes), Self.notes.merging(document)] {
      if let problem = read(merged) { return problem }
    }
    var edited = document
    edited.edit(at: Self.stamp(9, Self.stranger)) { edit in
      for (record, field) in Self.texts {
        edit.editText(field, of: record, in: "notes") { text in
          text.append("+ab")
          let count = text.text.count(in: .unicodeScalars)
          text.mark(text.range(0..<count), as: "bold", value: "new")
          text.unmark(text.range(1..<2), as: "link")
          text.replaceSubrange(text.range(1..<2), with: "cd")
        }
        edit.set(field, of: record, in: "notes", to: "The fox")
      }
    }
    if let problem = read(edited) { return "edited: \(problem)" }
    var removed = edited
    removed.edit(at: Self.stamp(10, Self.stranger)) { edit in
      edit.remove("about", of: "n1", in: "notes")
      edit.set("body", of: "n1", in: "notes", to: ["a": 1])
      edit.delete("n2", in: "notes")
      edit.purge(retention: .zero)
    }
    removed.edit(at: Self.stamp(1_000, Self.stranger)) { _ = $0.purge(retention: .zero) }
    return read(removed).map { "removed: \($0)" }
  }

  /// Decodes the bytes and uses what they hold; returns whether there was something.
  private func examine(
    _ sample: (name: String, bytes: [UInt8], isDelta: Bool), _ bytes: [UInt8], _ what: String
  ) -> Bool {
    var document = Self.notes
    if sample.isDelta {
      guard let delta = try? TableDelta<Document>(decoding: bytes) else { return false }
      document = Self.base
      _ = try? document.apply(delta)
    } else {
      guard let decoded = try? Document(decoding: bytes) else { return false }
      document = decoded
      document.schema = Self.schema
    }
    // Everything is tried with one in eight; in long runs, with all.
    let isSampled = isLongRun || bytes.reduce(0) { $0 + Int($1) } % 8 == 0
    if let problem = isSampled ? use(document) : read(document) {
      Issue.record("\(sample.name), \(what): \(problem)\n\(bytes)")
    }
    return true
  }

  @Test("every byte changed, behind a checksum that fits")
  func bytes() {
    var decoded = 0
    for sample in Self.samples {
      #expect(examine(sample, sample.bytes, "as it is"))
      forEachChangedByte(of: sample.bytes, to: [0xFF], flipping: [1, 4]) { bytes, what in
        if examine(sample, bytes, what) { decoded += 1 }
      }
    }
    #expect(decoded > 100, "changes must get past the checksum")
  }

  @Test("random damage behind a checksum that fits")
  func damage() {
    let rounds = scheduleCount(60, long: 20_000)
    forEachDamage(of: Self.samples.map(\.bytes), rounds: rounds) { sample, bytes, what in
      _ = examine(Self.samples[sample], bytes, what)
    }
  }

  /// The elements of a text, as they were written.
  private func elements(_ place: Int) -> [Dot] {
    let (record, field) = Self.texts[place]
    guard let text = Self.base.text(of: field, of: record, in: "notes") else { return [] }
    var dots: [Dot] = []
    text._table.forEachCharacter(ofTextAt: text._start) { dots.append($0) }
    return dots
  }

  private func forged(_ rows: [(RowKey, Content)]) -> Document {
    var document = Self.notes
    for (key, content) in rows {
      let payload = Document.RowPayload(content, at: Self.stamp(5, Self.stranger).time)
      document._table.write(Row(key: key, payload: payload), by: Self.stranger, killing: [])
    }
    return document
  }

  private func mark(_ start: Dot?, _ end: Dot?, stamp: UInt64 = 5) -> Content {
    .mark(
      MarkRow(
        start: .init(element: start, side: start == nil ? .after : .before),
        end: .init(element: end, side: end == nil ? .before : .after), value: "forged",
        stamp: stamp))
  }

  /// The place of the content of a field, where the rows of its text's marks are.
  private func place(_ names: String..., of record: String = "n1") -> Document.Place {
    names.reduce(Document.Place(record: record, in: "notes")) { $0.appending($1) }
  }

  @Test("rows with elements of other texts, of none, or in the wrong order mark nothing")
  func anchors() {
    let (body, about, other) = (elements(0), elements(1), elements(2))
    let none = [Dot(Self.phone, 1 << 40), Dot(ReplicaID(77), 1)]
    var pairs: [(Dot?, Dot?)] = [(body[3], body[1]), (body[4], body[2]), (none[0], none[1])]
    for far in [about[1], other[1], about[7], other[7]] + none {
      pairs += [(far, far), (far, nil), (nil, far), (body[1], far), (far, body[3])]
    }
    pairs += [(about[0], about[8]), (other[0], other[8]), (about[0], other[8])]
    let shown = Self.texts.indices.map { marks($0, Self.notes) }
    let fields = ["n1", "n2"].map { Self.notes.fields(of: $0, in: "notes") }
    for (start, end) in pairs {
      for stamp in [1, 5, MarkRow.stampMax] {
        let document = forged([
          (RowKey(place("body"), .mark("bold")), mark(start, end, stamp: stamp)),
          (RowKey(place("body"), .mark("new")), mark(start, end, stamp: stamp)),
        ])
        let what = "\(start?.description ?? "the start") to \(end?.description ?? "the end")"
        for place in Self.texts.indices {
          #expect(marks(place, document) == shown[place], "\(what), text \(place)")
        }
        #expect(["n1", "n2"].map { document.fields(of: $0, in: "notes") } == fields, "\(what)")
        if let problem = use(document) { Issue.record("\(what): \(problem)") }
      }
    }
  }

  @Test("a row beneath another field marks nothing, and no field or record comes of it")
  func keys() {
    let body = elements(0)
    let shown = Self.texts.indices.map { marks($0, Self.notes) }
    let fields = ["n1", "n2", "n3"].map { Self.notes.fields(of: $0, in: "notes") }
    let places = [
      place("about"), place("number"), place("none"), place("body", "body"),
      place("body", of: "n2"),
      place("body", of: "n3"), place("BODY"),
    ]
    for place in places {
      for (start, end) in [(body[0], body[3]), (body[0], nil), (nil, body[3])] as [(Dot?, Dot?)] {
        let document = forged([(RowKey(place, .mark("forged")), mark(start, end))])
        for text in Self.texts.indices {
          #expect(marks(text, document) == shown[text], "\(place), text \(text)")
        }
        let found = ["n1", "n2", "n3"].map { document.fields(of: $0, in: "notes") }
        #expect(found == fields, "\(place)")
        #expect(document.contains("n3", in: "notes") == false)
        if let problem = use(document) { Issue.record("\(place): \(problem)") }
      }
    }
    // A mark of all of another text is in that text only.
    let document = forged([(RowKey(place("about"), .mark("forged")), mark(nil, nil))])
    #expect(marks(0, document) == shown[0] && marks(2, document) == shown[2])
    #expect(marks(1, document)?.allSatisfy { $0["forged"] == "forged" } == true)
  }

  @Test("a key with the content of another kind of row is refused, or shows nothing")
  func payloads() {
    let row = mark(elements(0)[0], elements(0)[3])
    let (record, body) = (Document.Place(record: "n1", in: "notes"), place("body"))
    let contents: [Content] = [
      .value("x"), .object, .set, .text, .list, .member, .deletion([Self.phone: 1]),
      .counter(CounterRow(.totals(CounterTrace(totals: ReplicaTotals())))),
    ]
    let rows =
      contents.map { (RowKey(body, .mark("forged")), $0) } + [
        (RowKey(record, .existence), row), (RowKey(record, .deletion), row),
        (RowKey(record, .field("body")), row), (RowKey(record, .field("number")), row),
        (RowKey(record, .field("forged")), row), (RowKey(body, .field("forged")), row),
        (RowKey(body, .element("forged")), row), (RowKey(body, .position("forged")), row),
      ]
    let shown = Self.texts.indices.map { marks($0, Self.notes) }
    for (key, content) in rows {
      let bytes = forged([(key, content)]).encoded()
      guard var document = try? Document(decoding: bytes) else { continue }
      document.schema = Self.schema
      for place in Self.texts.indices {
        #expect(marks(place, document) == shown[place], "\(key) with \(content)")
      }
      #expect(document.value(of: "number", of: "n1", in: "notes") == 5, "\(key) with \(content)")
      #expect(document.value(of: "forged", of: "n1", in: "notes") == nil, "\(key) with \(content)")
      if let problem = use(document) { Issue.record("\(key) with \(content): \(problem)") }
    }
  }

  @Test("names and stamps out of bounds are refused")
  func bounds() throws {
    let (start, end) = (elements(0)[0], elements(0)[3])
    let most = ReplicatedText.MarkKey.lengthMax
    for (length, stamp, isRefused) in [
      (most, MarkRow.stampMax, false), (most + 1, 5, true), (1, 0, true),
      (1, MarkRow.stampMax + 1, true),
    ] as [(Int, UInt64, Bool)] {
      let name = String(repeating: "n", count: length)
      let document = forged([(RowKey(place("body"), .mark(name)), mark(start, end, stamp: stamp))])
      if isRefused {
        #expect(throws: DecodingFailure.self) { try document.readBack() }
      } else {
        #expect(try document.readBack() == document)
        if let problem = use(document) { Issue.record("\(problem)") }
      }
    }
  }

  @Test("thousands of rows that mark the same are read as one run, and one mark replaces them")
  func many() throws {
    let count = 3_000
    let (start, end) = (elements(0)[0], elements(0)[3])
    let many = forged(
      (0..<count).map { number in
        (RowKey(place("body"), .mark("bold")), mark(start, end, stamp: UInt64(number + 1)))
      })
    var document = try many.readBack()
    let runs = document.text(of: "body", of: "n1", in: "notes").map { Array($0.runs) } ?? []
    #expect(runs.count <= 8)
    #expect(runs.first?.marks["bold"] == "forged")
    document.edit(at: Self.stamp(9, Self.laptop)) { edit in
      edit.editText("body", of: "n1", in: "notes") {
        $0.mark($0.text.startIndex..<$0.text.endIndex, as: "bold", value: "one")
      }
    }
    var rows = 0
    document._table.forEachRow { _, row in
      if case .mark("bold") = row.key.part, row.key.place == place("body") { rows += 1 }
    }
    #expect(rows == 1)
    #expect(marks(0, document)?.allSatisfy { $0["bold"] == "one" } == true)
  }
}
