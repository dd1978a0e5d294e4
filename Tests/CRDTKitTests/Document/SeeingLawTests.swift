import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// An edit that sees an old version does what the same edit does in a copy of that
/// version which is merged afterwards.
@Suite("Law of edits that see only some events")
struct SeeingLawTests {
  /// A change that needs to know nothing but its record.
  enum Change {
    case set(String, Document.Value)
    case insert(Document.Value)
    case take(Document.Value)
    case count(Int64)
    case remove(String)
    case delete

    init(using random: inout some RandomNumberGenerator) {
      let value = Document.Value.int(Int64.random(in: 0..<4, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        self = .set(["title", "body", "status"].randomElement(using: &random) ?? "", value)
      case 4, 5: self = .insert(value)
      case 6: self = .take(value)
      case 7: self = .count(Int64.random(in: -3...3, using: &random))
      case 8: self = .remove(["title", "body", "tags"].randomElement(using: &random) ?? "")
      default: self = .delete
      }
    }

    func make(in edit: inout Document.Editor, of record: String) {
      switch self {
      case .set(let name, let value): edit.set([name], of: record, in: "c", to: value)
      case .insert(let value): edit.insert(value, into: "tags", of: record, in: "c")
      case .take(let value): edit.remove(value, from: "tags", of: record, in: "c")
      case .count(let amount): try? edit.increment("likes", of: record, in: "c", by: amount)
      case .remove(let name): edit.remove([name], of: record, in: "c")
      case .delete: edit.delete(record, in: "c")
      }
    }
  }

  /// What a document shows, but for which event wrote it.
  private func reading(of document: Document) -> String {
    var lines: [String] = []
    for record in ["r", "s"] {
      lines.append("\(record) \(document.contains(record, in: "c"))")
      let fields = document.fields(of: record, in: "c") ?? [:]
      // A set that was made and emptied again is as good as none.
      for name in fields.keys.sorted() where fields[name] != [] {
        let sides = document.alternatives(of: [name], of: record, in: "c")
        let conflict = document.conflict(of: [name], of: record, in: "c")?.sides
        lines.append("\(name) = \(fields[name] ?? nil): \(sides), \(conflict ?? [])")
      }
    }
    return lines.joined(separator: "\n")
  }

  @Test("seeing a version is as writing in a copy of it")
  func copies() {
    for seed in 0..<scheduleCount(1_000, long: 20_000) {
      var random = SeededGenerator(seed: seed)
      var schema = SeeingTests.schema
      let deletions: [Schema.DeletionRule] = [.updateWins, .deleteWins, .lastWriterWins]
      schema.collections["c"]?.deletion = deletions[Int(seed % 3)]
      var document = Document(schema: schema)
      var time: UInt64 = 0
      func edit(
        _ document: inout Document, as replica: UInt64, at time: UInt64, _ changes: [Change]
      ) {
        document.edit(at: DocumentTests.at(time, ReplicaID(replica))) { edit in
          for change in changes { change.make(in: &edit, of: "r") }
        }
      }
      func history(_ count: Int) {
        for _ in 0..<count {
          time += 1
          edit(
            &document, as: UInt64.random(in: 1...3, using: &random), at: time,
            [Change(using: &random)])
        }
      }
      history(Int.random(in: 0..<6, using: &random))
      var copy = document
      let opened = document.version
      history(Int.random(in: 0..<6, using: &random))
      let changes = (0..<Int.random(in: 1..<4, using: &random)).map { _ in Change(using: &random) }
      // That a record was deleted shows no more where it has been restored meanwhile.
      if copy.deletion(of: "r", in: "c") != nil { continue }
      var merged = document
      edit(&copy, as: 9, at: time + 1, changes)
      merged.merge(copy)
      document.edit(at: DocumentTests.at(time + 1, ReplicaID(9))) { edit in
        edit.seeing(upTo: opened) { edit in
          for change in changes { change.make(in: &edit, of: "r") }
        }
      }
      document._table.checkEveryInvariant()
      guard reading(of: document) == reading(of: merged) else {
        Issue.record(
          """
          seed \(seed), changes \(changes)
          seeing: \(reading(of: document))
          copied: \(reading(of: merged))
          """)
        return
      }
    }
  }
}
