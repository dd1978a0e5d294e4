import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// Commits of several changes each, drafts, lost answers and another client's edits, to
/// two notes that are deleted and made anew.
enum TransactionStorm {
  /// Something that happens.
  enum Step {
    /// A commit of changes of a note, of which those that can't be made are passed over.
    case write(String, [Change], amount: Int)
    /// Another client changes a field of a note at the server.
    case editAtServer(String, nickname: String)
    /// The next answer is lost.
    case loseAnswer
    case pass
    case sync
  }

  /// What a commit does to a note.
  enum Change: CaseIterable {
    case edit, commitDraft, delete, restore, create, createHere, publish, title
  }

  static func steps(seed: UInt64) -> [Step] {
    var random = SeededGenerator(seed: seed)
    return (0..<60).map { number in
      let note = ["a", "b"][Int.random(in: 0..<2, using: &random)]
      switch Int.random(in: 0..<13, using: &random) {
      case 0...6:
        // The first is twice as likely as the others.
        let changes = (0..<3).map { _ in
          Change.allCases[max(0, Int.random(in: -1..<8, using: &random))]
        }
        return .write(note, changes, amount: Int.random(in: 1...3, using: &random))
      case 7: return .editAtServer(note, nickname: "s\(number)")
      case 8: return .loseAnswer
      case 9: return .pass
      default: return .sync
      }
    }
  }

  /// The steps with less of one of them.
  static func without(_ place: Int, of steps: [Step]) -> [[Step]] {
    guard place < steps.count else { return [] }
    var fewer = steps
    fewer.remove(at: place)
    guard case .write(let note, let changes, let amount) = steps[place] else { return [fewer] }
    return [fewer]
      + changes.indices.map { change in
        var (less, left) = (steps, changes)
        left.remove(at: change)
        less[place] = .write(note, left, amount: amount)
        return less
      }
  }

  /// Lets the steps happen, then heals all; says what is wrong, `nil` if nothing is.
  static func run(_ steps: [Step]) async throws -> String? {
    let app = try await Scenario()
    // Without a server, all is as it was written.
    let alone = try await Scenario()
    for step in steps {
      try await perform(step, in: app)
      if case .write = step { try await perform(step, in: alone) }
    }
    await app.server { $0.answersToLose = 0 }
    for _ in 0..<12 {
      app.pass(30_000)
      _ = await app.outbox.sync()
    }
    var wrong: [String] = []
    for note in ["a", "b"] {
      let status = app.store.status(of: ScenarioNote.self, note)
      if status.isLocalOnly { continue }
      if let difference = await app.discrepancy(of: [Document.RecordID(note, in: "notes")]) {
        wrong.append(difference)
      }
      let isShared = steps.contains { step in
        if case .editAtServer(note, _) = step { true } else { false }
      }
      let fields = app.local(ScenarioNote.self, note)
      let wanted = alone.local(ScenarioNote.self, note)
      if !isShared, fields != wanted {
        wrong.append("\(note) is \(fields ?? [:]), and without a server \(wanted ?? [:])")
      }
      if status.syncStatus != .synced {
        wrong.append("\(note) is \(status.syncStatus): \(app.outbox.deadLetters)")
      }
    }
    try await app.store.close()
    try await alone.store.close()
    return wrong.isEmpty ? nil : wrong.joined(separator: "\n")
  }

  private static func perform(_ step: Step, in app: Scenario) async throws {
    switch step {
    case .write(let note, let changes, let amount):
      let draft = try? app.store.draft(ScenarioNote.self, note)
      try await app.store.write { tx in
        for change in changes {
          do { try perform(change, of: note, amount, draft, in: &tx) } catch is RecordError {}
        }
      }
    case .editAtServer(let note, let nickname):
      guard await app.remote(ScenarioNote.self, note) != nil else { return }
      await app.serverEdits(ScenarioNote.self, note, ["nickname": .string(nickname)])
    case .loseAnswer: await app.server { $0.answersToLose = 1 }
    case .pass: app.pass(20_000)
    case .sync: _ = await app.outbox.sync()
    }
  }

  private static func perform(
    _ change: Change, of note: String, _ amount: Int, _ draft: Store.Draft<ScenarioNote>?,
    in tx: inout Store.Transaction
  ) throws {
    switch change {
    case .edit:
      try tx.update(ScenarioNote.self, note) {
        $0.likes += amount
        if $0.tags.remove("x") == nil { $0.tags.insert("x") }
      }
    case .commitDraft:
      guard var draft else { return }
      draft.likes += 1
      draft.tags.insert("d")
      draft.title += "d"
      try tx.commit(draft)
    case .delete: try tx.delete(ScenarioNote.self, note)
    case .restore: try tx.restore(ScenarioNote.self, note)
    case .create: try tx.create(ScenarioNote(id: note, tags: ["c", "x"], likes: amount))
    case .createHere:
      try tx.createLocally(ScenarioNote(id: note, tags: ["l"], likes: amount))
    case .publish: try tx.publish(ScenarioNote.self, note)
    case .title: try tx.update(ScenarioNote.self, note) { $0.title += "u" }
    }
  }
}
