import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Power cuts at every call of what writes, drains, takes in answers and pulls, with a
/// server that honours idempotency keys.
@Suite("An outbox and crashes")
struct OutboxCrashTests {
  private static let records = ["n1", "n2", "n3"].map { Document.RecordID($0, in: "notes") }

  /// What the server was, by how many calls the store's file system had had then.
  private final class ServerHistory: Sendable {
    private let moments = Guarded<[(call: Int, service: ReferenceService)]>([])

    func note(_ service: ReferenceService, at call: Int) {
      moments.withLock { $0.append((call, service)) }
    }

    /// All that the server may have been when a number of calls had been made.
    func services(at call: Int) -> [ReferenceService] {
      moments.withLock { moments in
        let before = moments.last { $0.call < call }?.service ?? ReferenceService()
        return [before] + moments.filter { $0.call == call }.map(\.service)
      }
    }
  }

  /// Writes, and loses answers, meets conflicts, is refused; each write counts a note's
  /// likes up by one.
  private static func work(
    _ files: SimulatedFileSystem, _ recorder: CrashRecorder, _ history: ServerHistory
  ) async throws {
    let transport = FakeServer()
    @Sendable func note() async { history.note(await transport.service, at: files.callCount) }
    let noting = ScriptedTransport(
      inner: transport, beforePush: { (_) throws(RemoteError) in await note() },
      afterPush: { (answers) throws(RemoteError) in
        await note()
        return answers
      })
    let app = try await Scenario(TestStores(files), transport, over: noting)
    let issued = Guarded(0)
    func write(
      _ durability: Store.Durability = .full, _ body: (inout Store.Transaction) throws -> Void
    ) async throws {
      issued.withLock { $0 += 1 }
      recorder.issue()
      try await app.store.write(durability) { tx in
        if try tx.get(ScenarioNote.self, "n1") != nil {
          try tx.update(ScenarioNote.self, "n1") { $0.likes += 1 }
        }
        try body(&tx)
      }
      if durability == .full { answered() }
    }
    /// Whatever was written is there for good: something was answered that rests on it.
    func answered() {
      recorder.acknowledge(issued.withLock { $0 })
    }
    try await write { tx in
      try tx.create(ScenarioNote(id: "n1", title: "Moon", likes: 1))
      try tx.create(ScenarioNote(id: "n2", title: "Sun"))
    }
    _ = await app.outbox.sync()
    // An answer is lost.
    await app.server { $0.answersToLose = 1 }
    try await write { try $0.update(ScenarioNote.self, "n1") { note in _ = note.tags.insert("a") } }
    _ = await app.outbox.drain()
    await note()
    app.pass(60_000)
    _ = await app.outbox.sync()
    try await app.store.flush()
    // Someone else changes what is changed here.
    await app.serverEdits(ScenarioNote.self, "n1", ["title": "theirs", "body": "theirs"])
    await app.serverEdits(
      ScenarioNote.self, "n3",
      [
        "id": "n3", "title": "", "body": "", "tags": [], "likes": 2, "stage": "", "nickname": "",
      ])
    await note()
    try await write { tx in
      try tx.update(ScenarioNote.self, "n1") { note in
        note.title = "mine"
        note.nickname = "mine"
      }
    }
    _ = await app.outbox.sync()
    await app.server { $0.server.rejectedFields["stage"] = "no" }
    try await write { try $0.update(ScenarioNote.self, "n1") { $0.stage = "done" } }
    _ = await app.outbox.sync()
    await note()
    // Commits that aren't waited for, and answers that rest on them.
    try await write(.relaxed) { _ in }
    let unknown = Outbox.OperationID(dot: Dot(app.store.replica, 1), record: Self.records[0])
    _ = try await app.outbox.discard(unknown, revertingChanges: false)
    answered()
    try await write(.relaxed) { _ in }
    do {
      try await app.store.write { try $0.create(ScenarioNote(id: "n1")) }
    } catch is RecordError { answered() }
    try await write(.relaxed) { _ in }
    _ = try await app.outbox.performOnline { _ = try $0.get(ScenarioNote.self, "n1") }
    answered()
    try await write { try $0.delete(ScenarioNote.self, "n2") }
    _ = await app.outbox.sync()
    await note()
    try await app.store.close()
  }

  private static func discrepancy(
    _ image: DiskImage, _ moment: CrashMoment, _ history: ServerHistory
  ) async -> String? {
    for service in history.services(at: moment.call) {
      if let wrong = await discrepancy(image, moment, service) { return wrong }
    }
    return nil
  }

  private static func discrepancy(
    _ image: DiskImage, _ moment: CrashMoment, _ service: ReferenceService
  ) async -> String? {
    do {
      let transport = FakeServer()
      await transport.change { $0 = service }
      let app = try await Scenario(
        TestStores(SimulatedFileSystem(image), replicasAfter: 100), transport)
      // Some first see what has changed, others first send.
      if moment.call.isMultiple(of: 2) {
        await app.mendServer()
        _ = await app.outbox.pull()
      }
      if let left = try await app.heal() { return left }
      if let wrong = await app.discrepancy(of: records) { return wrong }
      guard case .int(let likes)? = app.local(ScenarioNote.self, "n1")?["likes"] else {
        return moment.acknowledged > 0 ? "n1 is lost" : nil
      }
      let acknowledged = moment.acknowledgedNumbers.max() ?? 0
      guard (acknowledged...moment.issued).contains(Int(likes)) else {
        return "\(likes) likes, \(acknowledged) acknowledged, \(moment.issued) issued"
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "Power cuts at every call lose nothing, and no operation has two effects",
    .timeLimit(.minutes(30)))
  func powerCuts() async {
    let history = ServerHistory()
    let explorer = CrashExplorer(choices: .few, seed: 7)
    let found = await explorer.explore(
      { try await Self.work($0, $1, history) },
      check: { await Self.discrepancy($0, $1, history) })
    #expect(found.failures == [])
    #expect(found.caseCount > 50)
  }
}
