import CRDTTestSupport
import Toolkit

@testable import CRDTKit

/// A replica of a document that commits changes of a record with two texts and a number, and
/// undoes its commits; beside it a plain model of each text.
struct TextCommits {
  /// A commit, and what it did to each text by the model.
  struct Commit {
    let events: Document.CommitEvents
    let changes: [Document.FieldChange]
    let mark: Document.CommitMark
    let steps: [FieldPath: UndoModel.Step]
  }

  /// What a commit does to one text: it replaces scalars from a position on.
  struct Replacement: Hashable {
    let position: Int
    let count: Int
    let string: String
  }

  static let paths: [FieldPath] = ["body", "title"]
  static let record = Document.RecordID("n", in: "notes")
  private static let schema = Schema(
    collections: ["notes": Schema.Collection(fields: ["body": .text, "title": .text])])

  let replica: ReplicaID
  var document = Document(schema: schema)
  var models: [FieldPath: UndoModel] = [:]
  private var putBack = Document.PutBackRows()
  private var time: UInt64 = 0

  init(_ replica: UInt64) {
    self.replica = ReplicaID(replica)
    for path in Self.paths {
      models[path] = UndoModel(replica: replica, countsDeletions: false)
    }
  }

  func text(_ path: FieldPath) -> Document.Text? {
    document.text(of: path, of: Self.record.record, in: Self.record.collection)
  }

  /// The string that a text shows; the model's, and why the two differ if they do.
  func problem(at path: FieldPath) -> String? {
    let (shown, expected) = (text(path).map { String($0) } ?? "", models[path]?.sequence.text)
    return shown == expected ? nil : "\(path) is \([shown]) instead of \([expected ?? ""])"
  }
}

extension TextCommits {
  /// Replaces parts of both texts in one commit, and counts.
  mutating func replace(_ parts: [FieldPath: Replacement], number: Int64) -> Commit {
    let before = Self.paths.map { dots(of: $0) }
    let (old, start) = (document, document._table.version[replica])
    edit { edit in
      for path in Self.paths {
        guard let part = parts[path] else { continue }
        edit.editText(path, of: Self.record.record, in: Self.record.collection) { text in
          let count = text.text.count(in: .unicodeScalars)
          let range = part.range(in: count)
          let lower = text.text.index(range.lowerBound, in: .unicodeScalars)
          let upper = text.text.index(range.upperBound, in: .unicodeScalars)
          text.replaceSubrange(lower..<upper, with: part.string)
        }
      }
      edit.apply(
        [Document.FieldChange("number", .assign(.int(number), before: nil))],
        to: Self.record.record, in: Self.record.collection)
    }
    var steps: [FieldPath: UndoModel.Step] = [:]
    for (place, path) in Self.paths.enumerated() {
      guard let part = parts[path] else { continue }
      let counter = counter(of: path, besides: before[place])
      models[path]?.counter = counter
      let count = models[path]?.sequence.count ?? 0
      models[path]?.replace(part.range(in: count), with: part.string, continuing: false)
      steps[path] = models[path]?.popStep()
    }
    let changes = Self.paths.compactMap { path -> Document.FieldChange? in
      guard steps[path] != nil else { return nil }
      let was = old.text(of: path, of: Self.record.record, in: Self.record.collection)
      let string = text(path).map { String($0) } ?? ""
      return Document.FieldChange(
        path, .assign(.string(string), before: was.map { .string(String($0)) }))
    }
    return commit(changes, steps, since: old, start, time: 0)
  }

  /// Undoes a commit, and returns what that did; a problem if other fields were left than the
  /// model leaves.
  mutating func undo(_ commit: Commit) -> (done: Commit, problem: String?) {
    let before = Self.paths.map { dots(of: $0) }
    let (old, start, known) = (document, document._table.version[replica], putBack)
    var result = Document.TakingBack()
    var after = known
    edit { edit in
      edit.putBack = known
      result = edit.takeBack(
        commit.changes, of: commit.events, knowing: commit.mark, in: Self.record)
      after = edit.putBack
    }
    putBack = after
    var (steps, left): ([FieldPath: UndoModel.Step], [FieldPath]) = ([:], [])
    for (place, path) in Self.paths.enumerated() {
      guard let step = commit.steps[path] else { continue }
      let counter = counter(of: path, besides: before[place])
      models[path]?.counter = counter
      steps[path] = models[path]?.takeBack(step)
      if steps[path] == nil, commit.changes.contains(where: { $0.path == path }) {
        left.append(path)
      }
    }
    let done = self.commit(result.done, steps, since: old, start, time: result.time)
    let isSame = Set(result.left) == Set(left)
    return (done, isSame ? nil : "left \(result.left) instead of \(left)")
  }

  /// What a store keeps of a commit.
  private func commit(
    _ changes: [Document.FieldChange], _ steps: [FieldPath: UndoModel.Step],
    since old: Document, _ start: UInt64, time: UInt64
  ) -> Commit {
    let rows = old.rowsReplaced(by: changes, in: Self.record, knowing: putBack)
    var mark = document.mark(of: changes, by: replica, in: Self.record, time: time)
    mark.replaced = document.gone(rows)
    mark.texts = document.removedTexts(since: old).of(old.texts(among: rows), in: Self.record)
    let events = Document.CommitEvents(
      of: replica, start + 1...max(start + 1, document._table.version[replica]))
    return Commit(events: events, changes: changes, mark: mark, steps: steps)
  }

  private mutating func edit(_ body: (inout Document.Editor) -> Void) {
    time += 1
    document.edit(at: HybridTimestamp(milliseconds: time, replica: replica), body)
  }

  private func dots(of path: FieldPath) -> Set<Dot> {
    var dots: Set<Dot> = []
    guard let text = text(path) else { return dots }
    text._table.forEachCharacter(ofTextAt: text._start) { dots.insert($0) }
    return dots
  }

  /// The event before the first character that is new in a text.
  private func counter(of path: FieldPath, besides known: Set<Dot>) -> UInt64 {
    (dots(of: path).subtracting(known).map(\.counter).min() ?? 1) - 1
  }
}

extension TextCommits.Replacement {
  func range(in count: Int) -> Range<Int> {
    let start = position % (count + 1)
    return start..<min(start + self.count, count)
  }
}
