import CRDTTestSupport
import Testing

@testable import CRDTKit

/// What becomes of the marks of documents' texts when their fields and records change.
@Suite("Marks in documents")
struct DocumentMarkTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "about": .text])])
  private static let fields = ["body", "about"]

  private func stamp(_ time: UInt64, _ replica: ReplicaID) -> HybridTimestamp {
    HybridTimestamp(milliseconds: time, replica: replica)
  }

  /// A note with two texts, of which the first is bold wherever anything is inserted.
  private func note() -> Document {
    var notes = Document(schema: Self.schema)
    notes.edit(at: stamp(1, phone)) { edit in
      for field in Self.fields {
        edit.set(FieldPath([field]), of: "n1", in: "notes", to: "Hello")
        edit.set(FieldPath([field]), of: "n2", in: "notes", to: "Hello")
      }
    }
    mark(&notes, 0..<5, growing: .both, at: stamp(2, phone))
    return notes
  }

  private func mark(
    _ notes: inout Document, _ range: Range<Int>, growing growth: ReplicatedText.Growth = .atEnd,
    at stamp: HybridTimestamp
  ) {
    notes.edit(at: stamp) { edit in
      edit.editText("body", of: "n1", in: "notes") {
        $0.mark($0.range(range), as: "bold", growing: growth)
      }
    }
  }

  private func bold(_ notes: Document, _ field: String = "body", of record: String = "n1")
    -> [String]
  {
    guard let text = notes.text(of: FieldPath([field]), of: record, in: "notes") else { return [] }
    return text.ranges(markedAs: "bold").map { text[$0.range] }
  }

  private func markRows(_ notes: Document) -> Int {
    var count = 0
    notes._table.forEachRow { _, row in if case .mark = row.key.part { count += 1 } }
    return count
  }

  @Test("a mark of all of a text is in no other text of the record or of another")
  func isolation() throws {
    let notes = note()
    for copy in [notes, try Document(decoding: notes.encoded(), schema: Self.schema)] {
      #expect(bold(copy) == ["Hello"])
      #expect(bold(copy, "about").isEmpty)
      for field in Self.fields { #expect(bold(copy, field, of: "n2").isEmpty) }
      #expect(copy.value(of: "body", of: "n1", in: "notes") == "Hello")
      #expect(try #require(copy.fields(of: "n1", in: "notes")).count == 2)
      #expect(copy.fieldCount(of: "n1", in: "notes") == 2)
    }
  }

  @Test("marks go with the field, and with the record that is made anew", arguments: 0..<5)
  func removal(way: Int) throws {
    let base = note()
    var notes = base
    notes.edit(at: stamp(3, laptop)) { edit in
      switch way {
      case 0: edit.remove("body", of: "n1", in: "notes")
      case 1: edit.set("body", of: "n1", in: "notes", to: 5)
      case 2: edit.set("body", of: "n1", in: "notes", to: ["a": 1])
      case 3:
        edit.delete("n1", in: "notes")
        edit.create(anew: "n1", in: "notes")
      default:
        edit.delete("n1", in: "notes")
        edit.purge(retention: .zero)
      }
    }
    if way == 4 {
      notes.edit(at: stamp(100, laptop)) { _ = $0.purge(retention: .zero) }
    }
    notes.merge(base)
    #expect(markRows(notes) == 0)
    notes.edit(at: stamp(101, laptop)) { $0.set("body", of: "n1", in: "notes", to: "Again") }
    #expect(notes.text(of: "body", of: "n1", in: "notes").map(String.init) == "Again")
    #expect(bold(notes).isEmpty)
    #expect(try Document(decoding: notes.encoded()) == notes)
  }

  @Test(
    "a text that stays, since its latest edit wasn't seen, keeps its marks",
    arguments: [[:], ["body": 5], ["body": ["a": 1]], ["about": "Hello"]]
      as [[String: Document.Value]])
  func unseen(fields: [String: Document.Value]) throws {
    var notes = note()
    let seen = notes.version
    notes.edit(at: stamp(3, phone)) { edit in
      edit.editText("body", of: "n1", in: "notes") { $0.append("!") }
    }
    notes.edit(at: stamp(4, laptop)) { edit in
      edit.seeing(upTo: seen) { edit in
        if fields.isEmpty {
          edit.remove("body", of: "n1", in: "notes")
        } else {
          edit.create(anew: "n1", in: "notes")
          for (name, value) in fields {
            edit.set(FieldPath([name]), of: "n1", in: "notes", to: value)
          }
        }
      }
    }
    // Whatever else the field has now, the text with its marks is there once it is alone.
    if fields["body"] != nil {
      notes.edit(at: stamp(5, phone)) { edit in
        edit.editText("body", of: "n1", in: "notes") { $0.append("!") }
      }
    }
    #expect(bold(notes).first?.hasPrefix("Hello!") == true)
  }

  @Test("a record that is restored has its marks, and one that was marked meanwhile stays")
  func restored() {
    let base = note()
    var notes = base
    notes.edit(at: stamp(3, laptop)) { _ = $0.delete("n1", in: "notes") }
    var copy = base
    mark(&copy, 0..<2, at: stamp(4, phone))
    #expect(copy == base)
    notes.edit(at: stamp(5, laptop)) { _ = $0.restore("n1", in: "notes") }
    #expect(bold(notes) == ["Hello"])
    notes.edit(at: stamp(6, laptop)) { _ = $0.delete("n1", in: "notes") }
    copy.edit(at: stamp(7, phone)) { edit in
      edit.editText("body", of: "n1", in: "notes") { $0.unmark($0.range(3..<5), as: "bold") }
    }
    let before = base.text(of: "body", of: "n1", in: "notes")
    #expect(copy.text(of: "body", of: "n1", in: "notes") != before)
    notes.merge(copy)
    #expect(bold(notes) == ["Hel"])
  }

  @Test("a field that two replicas make at the same time has the marks of both")
  func madeTwice() {
    var sides = [Document(schema: Self.schema), Document(schema: Self.schema)]
    for (side, replica) in [phone, laptop].enumerated() {
      sides[side].edit(at: stamp(1, replica)) { edit in
        edit.editText("body", of: "n1", in: "notes") { body in
          body.append("ab")
          body.mark(body.range(0..<1), as: "bold", growing: .neither)
        }
      }
    }
    let merged = [sides[0].merging(sides[1]), sides[1].merging(sides[0])]
    for notes in merged {
      #expect(notes.value(of: "body", of: "n1", in: "notes") == "abab")
      #expect(bold(notes) == ["a", "a"])
      #expect(notes.encoded() == merged[0].encoded())
    }
  }

  @Test("new stamps change no marks, also where the events decide")
  func restamping() {
    var notes = note()
    var copy = notes
    for (value, time) in [("1", 9), ("2", 5)] as [(String, UInt64)] {
      let replica = value == "1" ? phone : laptop
      copy = note()
      copy.edit(at: stamp(time, replica)) { edit in
        edit.editText("body", of: "n1", in: "notes") {
          $0.mark($0.range(1..<4), as: "link", value: value)
        }
      }
      notes.merge(copy)
    }
    let runs = notes.text(of: "body", of: "n1", in: "notes").map { $0.runs.map(\.marks) }
    #expect(runs?.contains(["bold": "", "link": "1"]) == true)
    #expect(notes.restamp(after: 7 << 16, at: stamp(3, ReplicaID(7))) != nil)
    #expect(notes.text(of: "body", of: "n1", in: "notes").map { $0.runs.map(\.marks) } == runs)
    var again = notes
    #expect(again.restamp(after: 0, at: stamp(3, ReplicaID(1))) != nil)
    #expect(again.text(of: "body", of: "n1", in: "notes").map { $0.runs.map(\.marks) } == runs)
  }

  @Test("an undo puts marked characters back with their marks")
  func undo() {
    var notes = note()
    var history = UndoStack(for: phone)
    notes.edit(at: stamp(3, phone)) { edit in
      edit.editText("body", of: "n1", in: "notes") { body in
        history.edit(&body) { $0.removeSubrange($0.range(1..<3)) }
        history.undo(in: &body)
      }
    }
    #expect(bold(notes) == ["Hello"])
  }

  @Test("rows of marks are written as the article says, and a mark of no field is refused")
  func format() throws {
    var notes = Document(schema: Self.schema)
    notes.edit(at: stamp(1, phone)) { edit in
      edit.editText("body", of: "n1", in: "notes") { body in
        body.append("0123456789")
        body.mark(body.range(1..<4), as: "b")
      }
    }
    let delta = notes.encoded()
    let row: [UInt8] = [0x8F, 0x0C, 0x3C, 0x11, 0, 0, 0, 0, 0, 0, 0, 1, 0x0C, 0]
    #expect(delta.indices.contains { delta[$0...].starts(with: row) }, "\(delta)")
    var writer = ByteWriter()
    Document.RowKey(Document.Place(record: "n1", in: "notes"), .mark("b")).encode(to: &writer)
    var reader = ByteReader(writer.finish())
    #expect(throws: DecodingFailure.self) { try Document.RowKey(from: &reader) }
  }

  @Test("whole numbers near 0 are read as they were written, beside texts and lists")
  func numbers() throws {
    var notes = Document()
    notes.edit(at: stamp(1, phone)) { edit in
      for number in -20...50 as ClosedRange<Int64> {
        edit.set(FieldPath(["f\(number)"]), of: "n1", in: "notes", to: .int(number))
      }
    }
    let read = try Document(decoding: notes.encoded())
    #expect(read.fields(of: "n1", in: "notes") == notes.fields(of: "n1", in: "notes"))
  }
}
