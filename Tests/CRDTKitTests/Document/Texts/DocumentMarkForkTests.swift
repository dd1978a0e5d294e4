import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// Copies of a document that write on under one name, with texts and marks: each character and
/// each mark that was written in any of them is there once.
///
/// Each character is written once and each mark has a name of its own, so what is expected
/// follows from what was written, and from no copy.
@Suite("Forks of documents with marks")
struct DocumentMarkForkTests {
  private static let fields: [FieldPath] = ["body", ["meta", "about"]]
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "meta.about": .text])])

  private enum Step: Hashable {
    case insert(Int, field: Int, position: Int, count: Int)
    case remove(Int, field: Int, position: Int, count: Int)
    case mark(Int, field: Int, position: Int, count: Int)
    /// The copy is read back from its bytes.
    case read(Int)

    init(using random: inout SeededGenerator) {
      let (copy, field) = (random.below(3), random.below(2))
      let (position, count) = (random.below(12), random.below(4) + 1)
      switch random.below(8) {
      case 0..<3: self = .insert(copy, field: field, position: position, count: count)
      case 3: self = .remove(copy, field: field, position: position, count: count)
      case 4..<7: self = .mark(copy, field: field, position: position, count: count)
      default: self = .read(copy)
      }
    }
  }

  /// A mark, and the characters that it was given to.
  private struct Mark {
    let name: String
    let field: Int
    let characters: [Unicode.Scalar]
  }

  /// What was written in all copies.
  private struct Written {
    var texts: [Set<Unicode.Scalar>] = [[], []]
    var removed: Set<Unicode.Scalar> = []
    var marks: [Mark] = []
    private var next = 0

    mutating func word(_ count: Int, in field: Int) -> String {
      let scalars = (next..<next + count).map { TextSamples.scalar($0) }
      next += count
      texts[field].formUnion(scalars)
      return TextSamples.string(of: scalars)
    }
  }

  @Test("each character and each mark of every copy is there once, in its field")
  func schedules() {
    for seed in seeds(40, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      let steps = (0..<random.below(20) + 3).map { _ in Step(using: &random) }
      if let problem = shrunkenFailure(of: steps, seed: seed, failure) {
        Issue.record("\(problem)")
        return
      }
    }
  }

  private func failure(of steps: [Step]) -> String? {
    var written = Written()
    var base = Document(schema: Self.schema)
    base.edit(at: stamp(1)) { edit in
      for (field, path) in Self.fields.enumerated() {
        let word = written.word(6, in: field)
        edit.set(path, of: "n", in: "notes", to: .string(word))
      }
    }
    var copies = [base, base, base]
    for (number, step) in steps.enumerated() {
      do {
        try act(step, UInt64(number) + 2, on: &copies, &written)
      } catch {
        return "step \(number), \(step): \(error)"
      }
    }
    return problem(merging: copies, written)
  }

  /// What is wrong once all have met, in every order.
  private func problem(merging copies: [Document], _ written: Written) -> String? {
    var all = copies
    for round in 0..<3 {
      for here in all.indices {
        for there in all.indices { all[here].merge(all[there]) }
        if round == 1, let read = try? all[here].readBack() { all[here] = read }
      }
    }
    for document in all {
      if document.encoded() != all[0].encoded() { return "other bytes" }
      if let problem = problem(document, written) { return problem }
      guard let read = try? document.readBack() else { return "not decoded" }
      if let problem = problem(read, written) { return "read back: \(problem)" }
    }
    return nil
  }

  private func stamp(_ time: UInt64, _ replica: UInt64 = 1) -> HybridTimestamp {
    HybridTimestamp(milliseconds: time, replica: ReplicaID(replica))
  }

  private func act(
    _ step: Step, _ time: UInt64, on copies: inout [Document], _ written: inout Written
  ) throws {
    switch step {
    case .read(let copy): copies[copy] = try copies[copy].readBack()
    case .insert(let copy, let field, let position, let count):
      let word = written.word(count, in: field)
      // Most write under the common name.
      let name = count == 4 ? UInt64(10 + copy) : 1
      edit(&copies[copy], field, at: stamp(time, name)) { text in
        let offset = position % (text.text.count(in: .unicodeScalars) + 1)
        text.insert(word, at: text.text.index(offset, in: .unicodeScalars))
      }
    case .remove(let copy, let field, let position, let count):
      guard let range = range(position, count, field, copies[copy]) else { return }
      written.removed.formUnion(scalars(field, copies[copy])[range])
      edit(&copies[copy], field, at: stamp(time)) { $0.removeSubrange($0.range(range)) }
    case .mark(let copy, let field, let position, let count):
      guard let range = range(position, count, field, copies[copy]) else { return }
      let name = "mark \(written.marks.count)"
      written.marks.append(
        Mark(name: name, field: field, characters: Array(scalars(field, copies[copy])[range])))
      edit(&copies[copy], field, at: stamp(time)) {
        $0.mark($0.range(range), as: name, value: name, growing: .neither)
      }
    }
  }

  private func edit(
    _ document: inout Document, _ field: Int, at stamp: HybridTimestamp,
    _ body: (inout Document.TextEditor) -> Void
  ) {
    document.edit(at: stamp) { $0.editText(Self.fields[field], of: "n", in: "notes", body) }
  }

  private func scalars(_ field: Int, _ document: Document) -> [Unicode.Scalar] {
    let text = document.text(of: Self.fields[field], of: "n", in: "notes")
    return text.map { Array(String($0).unicodeScalars) } ?? []
  }

  private func range(
    _ position: Int, _ count: Int, _ field: Int, _ document: Document
  ) -> Range<Int>? {
    let length = scalars(field, document).count
    let range = (position..<position + count).clamped(to: 0..<length)
    return range.isEmpty ? nil : range
  }

  private func problem(_ document: Document, _ written: Written) -> String? {
    document._table.checkEveryInvariant()
    for (field, path) in Self.fields.enumerated() {
      let shown = scalars(field, document)
      let expected = written.texts[field].subtracting(written.removed)
      if Set(shown) != expected || shown.count != expected.count {
        return "\(path) is \(TextSamples.string(of: shown)), not of \(expected.count) characters"
      }
      guard let text = document.text(of: path, of: "n", in: "notes") else { return "no \(path)" }
      let marks = text.runs.flatMap { run in
        Array(repeating: run.marks, count: text[run.range].unicodeScalars.count)
      }
      let own = written.marks.filter { $0.field == field }
      if let odd = marks.joined().first(where: { mark in
        mark.key != mark.value || !own.contains { $0.name == mark.key }
      }) {
        return "\(path) shows \(odd)"
      }
      for mark in own {
        let marked = marks.indices.filter { marks[$0][mark.name] != nil }
        let given = shown.indices.filter { mark.characters.contains(shown[$0]) }
        if !Set(given).isSubset(of: marked) { return "\(mark) is at \(marked), not at \(given)" }
        // If its first and last character are there, it is between them and nowhere else.
        guard given.count == mark.characters.count, let first = given.first, let last = given.last
        else { continue }
        if marked != Array(first...last) {
          return "\(mark) is at \(marked), not \(first)...\(last)"
        }
      }
    }
    return nil
  }
}
