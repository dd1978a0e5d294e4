import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What becomes of operations over which a server fails, as with a status 500.
@Suite("Failures of the server")
struct ServerFailureTests {
  private static let hour: UInt64 = 3_600_000

  /// Lets an outbox send for a while, to a server that fails over batches.
  private func send(
    _ setup: inout OutboxSetup, for span: UInt64, _ kind: RemoteError.Kind = .serverFailed,
    whereFails fails: ([Outbox.OperationID]) -> Bool
  ) throws {
    let end = setup.now + span
    while setup.now < end {
      if let batch = setup.send() {
        if fails(batch.ids) {
          setup.fail(batch.number, kind)
        } else {
          setup.answer(batch.number, batch.ids.map { ($0, .accepted(serverVersion: "1")) })
        }
      }
      guard let wake = setup.wake() else { return }
      setup.now = min(max(wake, setup.now), end)
    }
  }

  @Test(
    "What a server always fails over is a dead letter after six failures, while it does others",
    arguments: [RemoteError.Kind.serverFailed, .unknown])
  func poison(kind: RemoteError.Kind) throws {
    var setup = OutboxSetup()
    let poison = try setup.count("poison")
    try send(&setup, for: Self.hour, kind) { $0.contains(poison) }
    #expect(setup.machine.pending.map(\.attempts) == [0], "nothing else was asked")
    var done = 0
    while setup.machine.deadLetterCount == 0 {
      try setup.count("other \(done)")
      done += 1
      try #require(done <= 6)
      let attempts = setup.machine.pending.first?.attempts ?? 0
      try send(&setup, for: 60_000, kind) { $0.contains(poison) }
      #expect((setup.machine.pending.first?.attempts ?? 6) == attempts + 1)
    }
    #expect(done == 6)
    let letter = try #require(setup.machine.deadLetters.first)
    #expect(letter.id == poison && letter.failure?.cause == .serverFailed)
    #expect(letter.failure?.message.contains("x") == true && setup.machine.pendingCount == 0)
    #expect(setup.actions.contains(.deadLettered(letter)))
    setup.take(setup.machine.retry(poison))
    #expect(setup.machine.pending.map(\.attempts) == [0])
  }

  @Test("A server that is down as a whole for hours sets nothing aside, and costs one attempt")
  func outage() throws {
    var setup = OutboxSetup()
    let ids = try (0..<100).map { try setup.count("\($0)") }
    for _ in 0..<4 {
      try send(&setup, for: 3 * Self.hour) { _ in true }
      #expect(setup.machine.deadLetterCount == 0)
      // It is well for a moment, does one thing, and is down again.
      var isDone = false
      try send(&setup, for: Self.hour) { _ in
        defer { isDone = true }
        return isDone
      }
    }
    #expect(setup.machine.deadLetterCount == 0)
    #expect(setup.machine.pending.map(\.attempts).reduce(0, +) <= 4)
    try send(&setup, for: Self.hour) { _ in false }
    #expect(setup.machine.isDrained && setup.machine.deadLetterCount == 0 && ids.count == 100)
  }

  @Test("Where a server only fails, that counts every four hours, also over restarts: a day in all")
  func aDay() throws {
    var setup = OutboxSetup()
    let id = try setup.count("a")
    var hours = 0
    while setup.machine.deadLetterCount == 0 {
      try send(&setup, for: Self.hour) { _ in true }
      try setup.restart()
      hours += 1
      try #require(hours < 32)
      let attempts = setup.machine.pending.first?.attempts ?? 6
      #expect([hours / 4 - 1, hours / 4].contains(attempts), "after \(hours) hours")
    }
    #expect(hours >= 24 && setup.machine.deadLetters.map(\.id) == [id])
    let letter = try #require(setup.machine.deadLetters.first)
    #expect(setup.actions.contains(.deadLettered(letter)))
    var impatient = OutboxSetup { $0.minimumOutage = .zero }
    try impatient.count("a")
    try send(&impatient, for: 60_000) { _ in true }
    #expect(impatient.machine.deadLetterCount == 1)
  }

  @Test(
    "Being offline, waiting in vain and wrong credentials count for nothing, and take the blame off",
    arguments: [RemoteError.Kind.networkUnavailable, .timeout, .unauthorized])
  func links(kind: RemoteError.Kind) throws {
    var setup = OutboxSetup()
    let suspect = try setup.count("a")
    let batch = try setup.sent()
    setup.fail(batch.number, .serverFailed)
    try setup.count("b")
    setup.now += 60_000
    // The next thing that it is asked it doesn't do either.
    let next = try setup.sent()
    #expect(next.ids.count == 1)
    setup.fail(next.number, kind)
    setup.machine.credentialsRenewed()
    setup.now += 60_000
    while let batch = setup.send() {
      let others = batch.ids.filter { $0 != suspect }
      setup.answer(batch.number, others.map { ($0, .accepted(serverVersion: "1")) })
    }
    #expect(setup.machine.pending.map(\.attempts) == [0])
    for _ in 0..<200 {
      if let batch = setup.send() { setup.fail(batch.number, kind) }
      setup.machine.credentialsRenewed()
      setup.now += 12 * Self.hour
    }
    #expect(setup.machine.deadLetterCount == 0 && setup.machine.pending.map(\.attempts) == [0])
  }

  @Test("What an operation counts is what an account of all answers says, whatever happens")
  func account() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var setup = OutboxSetup { $0.batchSize = [1, 3, 50].randomElement(using: &random) ?? 50 }
      var account = FailureAccount(outage: setup.machine.settings.minimumOutage.clampedMilliseconds)
      var poison: Set<Outbox.OperationID> = []
      for number in 0..<8 {
        let id = try setup.count("\(number)")
        if Bool.random(using: &random) { poison.insert(id) }
      }
      for step in 0..<150 {
        let isDown = step / 15 % 2 == 1
        if let batch = setup.send() {
          if isDown || batch.ids.contains(where: poison.contains) {
            account.fail(batch.ids, at: setup.now)
            setup.fail(batch.number, .serverFailed)
          } else {
            account.answer(batch.ids, at: setup.now)
            setup.answer(batch.number, batch.ids.map { ($0, .accepted(serverVersion: "1")) })
          }
        }
        setup.now =
          Int.random(in: 0..<10, using: &random) == 0
          ? setup.now + UInt64.random(in: 0..<2 * 86_400_000, using: &random)
          : setup.wake() ?? setup.now
        if Int.random(in: 0..<20, using: &random) == 0 {
          try setup.restart()
          account.restart()
        }
        let left = setup.machine.pending + setup.machine.deadLetters
        for operation in left {
          #expect(
            operation.attempts == account.counts[operation.id, default: 0],
            "\(operation.id) in step \(step) of seed \(seed)")
          #expect((operation.attempts > 5) == (operation.failure != nil))
        }
      }
    }
  }
}

/// What counts of a server's failures, by a plain account of what was asked and answered.
private struct FailureAccount {
  let outage: UInt64
  private(set) var counts: [Outbox.OperationID: Int] = [:]
  /// Since when failures of an operation haven't counted.
  private var since: [Outbox.OperationID: UInt64] = [:]
  private var last: Outbox.OperationID?

  init(outage: UInt64) {
    self.outage = outage
  }

  mutating func fail(_ ids: [Outbox.OperationID], at now: UInt64) {
    last = nil
    guard ids.count == 1 else { return }
    let id = ids[0]
    if let start = since[id], now - start >= outage {
      counts[id, default: 0] += 1
      since[id] = now
    } else {
      since[id] = since[id] ?? now
      last = id
    }
  }

  mutating func answer(_ ids: [Outbox.OperationID], at now: UInt64) {
    if let last, !ids.contains(last) {
      counts[last, default: 0] += 1
      since[last] = now
    }
    last = nil
  }

  mutating func restart() {
    last = nil
  }
}
