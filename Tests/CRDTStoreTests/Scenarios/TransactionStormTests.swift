import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("Transactions, drafts and an outbox at random")
struct TransactionStormTests {
  @Test("Whatever commits do, the server ends with what is here", arguments: 1...40)
  func storm(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let transport = FakeTransport()
    let app = try await Scenario(TestStores(), transport)
    var log: [String] = []
    let ids = ["a", "b"]
    for _ in 0..<60 {
      let id = ids.randomElement(using: &random)!
      let verb = Int.random(in: 0..<13, using: &random)
      let there = (try? app.store.get(ScenarioNote.self, id)) != nil
      let draft = try? app.store.draft(ScenarioNote.self, id)
      do {
        switch verb {
        case 0...6:
          let verbs = (0..<3).map { _ in Int.random(in: 0..<9, using: &random) }
          let amount = Int.random(in: 1...3, using: &random)
          log.append("tx \(id) \(verbs) \(amount)")
          try await app.store.write { tx in
            for verb in verbs {
              do {
                switch verb {
                case 0, 1:
                  try tx.update(ScenarioNote.self, id) {
                    $0.likes += amount
                    if $0.tags.contains("x") { $0.tags.remove("x") } else { $0.tags.insert("x") }
                  }
                case 2:
                  if var draft {
                    draft.likes += 1
                    draft.tags.insert("d")
                    draft.title += "d"
                    try tx.commit(draft)
                  }
                case 3: try tx.delete(ScenarioNote.self, id)
                case 4: try tx.restore(ScenarioNote.self, id)
                case 5: try tx.create(ScenarioNote(id: id, tags: ["c", "x"], likes: amount))
                case 6: try tx.create(ScenarioNote(id: id, tags: ["l"], likes: amount), .localOnly)
                case 7: try tx.publish(ScenarioNote.self, id)
                default: try tx.update(ScenarioNote.self, id) { $0.title += "u" }
                }
              } catch is RecordError {}
            }
          }
        case 7:
          log.append("server edits \(id) \(there)")
          if await app.remote(ScenarioNote.self, id) != nil {
            await app.serverEdits(ScenarioNote.self, id, ["nickname": .string("s\(log.count)")])
          }
        case 8:
          log.append("lose")
          await app.server { $0.answersToLose = 1 }
        case 9: app.pass(20_000)
        default:
          log.append("sync")
          _ = await app.outbox.sync()
        }
      } catch { log.append("threw \(error)") }
      if seed == 19 {
        let note = try? app.store.get(ScenarioNote.self, "b")
        let there = await app.remote(ScenarioNote.self, "b")
        let queue = app.outbox.pending.filter { $0.record.record == "b" }.map { "\($0.kind)/\($0.baseVersion ?? "-"):\($0.changes.filter { $0.path == "title" })" }
        log.append("      local '\(note?.title ?? "-")' \(app.store.status(of: ScenarioNote.self, "b").isLocalOnly ? "LOCAL" : "") there '\(there?["title"] ?? "-")' \(queue.suffix(5)) letters \(app.outbox.deadLetters.filter { $0.record.record == "b" }.count)")
      }
    }
    if seed == 19 { print(log.joined(separator: "\n")) }
    await app.server { $0.answersToLose = 0 }
    for _ in 0..<12 {
      app.pass(30_000)
      _ = await app.outbox.sync()
    }
    for id in ids {
      if app.store.status(of: ScenarioNote.self, id).isLocalOnly { continue }
      let (remote, local) = (await app.remote(ScenarioNote.self, id), app.local(ScenarioNote.self, id))
      #expect(remote == local, "seed \(seed) \(id)\n")
      #expect(app.store.status(of: ScenarioNote.self, id).syncStatus == .synced, "seed \(seed) \(app.outbox.deadLetters)")
    }
    try await app.store.close()
  }
}
