import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Values that are written anew while a server hasn't heard of them, or the power is cut.
@Suite("Writing anew beside a server, and when the power is cut")
struct RestampedOutboxTests {
  private static let tenYears: UInt64 = 3_653 * 86_400_000

  @Test("A value that a server hasn't heard of is not replaced unseen", arguments: [false, true])
  func unsent(isReopened: Bool) async throws {
    var app = try await Scenario()
    try await app.syncedNote()
    app.pass(Self.tenYears)
    try await app.store.write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.body = "mine"
        note.likes += 2
      }
    }
    app.stores.clock.milliseconds -= Self.tenYears
    let report = try await app.store.restampFutureWrites()
    #expect(report.isComplete && report.valuesWritten == 2)
    let writer = app.store.replica
    if isReopened { app = try await app.killed() }
    // All that was written anew counts as not sent, also for the next process.
    let last = Dot(writer, app.store.document.version[writer])
    #expect(app.outbox.pending.count == 1 && app.outbox.pending[0].covers(last))
    guard !isReopened else { return try await app.store.close() }
    await app.serverEdits(ScenarioNote.self, "n1", ["body": "theirs"])
    _ = await app.outbox.pull()
    // The field is settled by hand: both are there.
    let sides = app.store.conflicts(of: ScenarioNote.self).first?.sides.map(\.value) ?? []
    #expect(Set(sides) == ["mine", "theirs"])
    _ = await app.outbox.sync()
    #expect(await app.remote(ScenarioNote.self, "n1")?["likes"] == 2)
    #expect(try app.store.get(ScenarioNote.self, "n1")?.likes == 2)
    try await app.store.close()
  }

  @Test("A power cut leaves all old stamps or all new ones, and every value")
  func powerCuts() async {
    let explorer = CrashExplorer(choices: .few, seed: 3)
    let right: UInt64 = 1_750_000_000_000
    let found = await explorer.explore { files, recorder in
      let stores = TestStores(files)
      let store = try stores.open()
      stores.clock.milliseconds = right + Self.tenYears
      for number in 0..<4 { try store.put(.int(Int64(number)), of: "r\(number)") }
      stores.clock.milliseconds = right
      recorder.start()
      recorder.issue()
      try store.restampFutureWrites()
      recorder.acknowledge()
      try store.put("later", of: "later")
      try store.close()
    } check: { image, moment in
      do {
        let store = try TestStores(SimulatedFileSystem(image), replicasAfter: 100).open()
        defer { try? store.close() }
        for number in 0..<4 {
          let value = store.document.value(of: "value", of: "r\(number)", in: "c")
          guard value == .int(Int64(number)) else { return "r\(number) is \(value ?? nil)" }
        }
        // Whoever reads a field's stamp sees who wrote it when.
        let stamps = (0..<4).map { number in
          let sides = store.document.alternatives(of: "value", of: "r\(number)", in: "c")
          return sides[0].timestamp.milliseconds > right + 1_000
        }
        if Set(stamps).count != 1 { return "some stamps are old: \(stamps)" }
        return stamps[0] && moment.acknowledged > 0 ? "the new stamps are lost" : nil
      } catch {
        return "\(error)"
      }
    }
    #expect(found.failures == [])
    #expect(found.caseCount > 3)
  }
}
