import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// What a view shows that makes the changes of a document's text, in two units.
private struct TextView {
  var units: [UInt16] = []
  var scalars: [Unicode.Scalar] = []
  var shown: Document.Text?

  mutating func show(_ text: Document.Text) {
    for change in text.changes(since: shown) {
      units.replaceSubrange(change.replaced, with: Array(change.inserted.utf16))
    }
    for change in text.changes(since: shown, in: .unicodeScalars) {
      scalars.replaceSubrange(change.replaced, with: Array(change.inserted.unicodeScalars))
    }
    shown = text
  }

  func problem(with value: Document.Value?) -> String? {
    guard case .string(let string)? = value else { return "\(String(describing: value))" }
    if !string.utf16.elementsEqual(units) {
      return "units show \(String(decoding: units, as: UTF16.self)), not \(string)"
    }
    return string.unicodeScalars.elementsEqual(scalars) ? nil : "scalars don't show \(string)"
  }
}

@Suite("The changes of texts in documents")
struct DocumentTextChangeTests {
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text])])

  private static func stamp(_ number: Int, _ replica: Int) -> HybridTimestamp {
    HybridTimestamp(milliseconds: UInt64(number) + 1, replica: ReplicaID(UInt64(replica) + 1))
  }

  @Test("views that make the changes show the text, whenever they look and whoever has written")
  func schedules() {
    for seed: UInt64 in 1...40 {
      let schedule = RandomTextSchedule(seed: seed)
      if let problem = schedule.leastFailure(failure(of:)) { Issue.record("\(problem)") }
    }
  }

  private func failure(of schedule: RandomTextSchedule) -> String? {
    let count = schedule.replicaCount
    var documents = Array(repeating: Document(schema: Self.schema), count: count)
    var views = Array(repeating: TextView(), count: count)
    for (number, step) in schedule.steps.enumerated() {
      let acting: Int
      switch step {
      case .insert(let who, let position, let string):
        acting = who % count
        write(number, acting, &documents[acting]) { text in
          text.insert(contentsOf: Array(string), at: position % (text.count + 1))
        }
      case .delete(let who, let position, let length):
        acting = who % count
        write(number, acting, &documents[acting]) { text in
          guard !text.isEmpty else { return }
          let first = position % text.count
          text.removeSubrange(first..<min(first + length, text.count))
        }
      case .merge(let who, let from):
        acting = who % count
        documents[acting].merge(documents[from % count])
      }
      // Some look at once, and others after several changes, also of the record as a whole.
      guard number % 3 != acting % 3,
        let text = documents[acting].text(of: "body", of: "n", in: "notes")
      else { continue }
      views[acting].show(text)
      let value = documents[acting].value(of: "body", of: "n", in: "notes")
      if let problem = views[acting].problem(with: value) {
        return "step \(number), \(step): \(problem)"
      }
    }
    return nil
  }

  /// Writes the string that a change of its characters gives, or takes away field or record.
  private func write(
    _ number: Int, _ replica: Int, _ document: inout Document,
    _ change: (inout [Character]) -> Void
  ) {
    document.edit(at: Self.stamp(number, replica)) { edit in
      switch number % 11 {
      case 7: edit.remove("body", of: "n", in: "notes")
      case 9: edit.delete("n", in: "notes")
      default:
        var text: [Character] = []
        let known = edit.value(of: "body", of: "n", in: "notes")
        if case .string(let string)? = known { text = Array(string) }
        change(&text)
        edit.set("other", of: "m", in: "notes", to: .int(Int64(number)))
        edit.set("body", of: "n", in: "notes", to: .string(String(text)))
      }
    }
  }

  @Test("texts are equal if they read the same, to the byte")
  func equality() throws {
    func text(_ string: String, _ replica: Int) throws -> Document.Text {
      var document = Document(schema: Self.schema)
      document.edit(at: Self.stamp(1, replica)) {
        $0.set("body", of: "n", in: "notes", to: .string(string))
      }
      return try #require(document.text(of: "body", of: "n", in: "notes"))
    }
    #expect(try text("é", 1) == text("é", 2))
    #expect(try text("\u{E9}", 1) != text("e\u{301}", 1))
    let changes = try text("é漢👍", 1).changes(since: nil)
    #expect(changes == [ReplicatedText.Change(replaced: 0..<0, inserted: "é漢👍")])
  }

  @Test("a text under another spelling of its name is told by what is different")
  func spellings() throws {
    var document = Document(schema: Self.schema)
    document.edit(at: Self.stamp(1, 1)) {
      $0.editText("b\u{E9}", of: "n", in: "notes") { $0.append("the moon") }
    }
    var view = TextView()
    view.show(try #require(document.text(of: "b\u{E9}", of: "n", in: "notes")))
    document.edit(at: Self.stamp(2, 1)) {
      $0.remove("b\u{E9}", of: "n", in: "notes")
      $0.editText("be\u{301}", of: "n", in: "notes") { $0.append("the full moon") }
    }
    let text = try #require(document.text(of: "b\u{E9}", of: "n", in: "notes"))
    #expect(text.changes(since: view.shown).count == 1)
    view.show(text)
    #expect(view.problem(with: .string("the full moon")) == nil)
  }
}
