import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// What an outbox sends when, case by case.
@Suite("The machine of the outbox")
struct OutboxMachineTests {
  @Test("Lanes send the oldest first, one at a time each, in batches")
  func order() throws {
    var setup = OutboxSetup { $0.batchSize = 3 }
    let ids = try ["a", "a", "b", "c", "a", "d"].map { try setup.count($0) }
    let first = try setup.sent()
    #expect(first.ids == [ids[0], ids[2], ids[3]])
    let second = try setup.sent()
    #expect(second.ids == [ids[5]])
    #expect(setup.send() == nil)
    setup.answer(first.number, [(ids[2], .accepted(serverVersion: "1"))])
    #expect(setup.send() == nil, "the others are in doubt, and wait a moment")
    setup.answer(second.number, [(ids[5], .accepted(serverVersion: nil))])
    setup.now += 1_000
    #expect(setup.sendAll(.accepted(serverVersion: "1")) == [ids[0], ids[3]])
    #expect(setup.sendAll(.accepted(serverVersion: "2")) == [ids[1]])
    #expect(setup.sendAll(.accepted(serverVersion: "3")) == [ids[4]])
    #expect(setup.machine.isDrained && setup.machine.batchCount == 0)
    #expect(setup.kept.isEmpty && setup.wake() == nil)
  }

  @Test("Batches have 50 operations, or what is set, but never more than 100")
  func batches() throws {
    for (size, expected) in [(nil, 50), (0, 1), (7, 7), (1_000, 100)] as [(Int?, Int)] {
      var setup = OutboxSetup { if let size { $0.batchSize = size } }
      for record in 0..<120 { try setup.count("\(record)") }
      #expect(setup.send()?.ids.count == expected)
      #expect(setup.machine.nextBatch(at: setup.now, countMax: 1)?.operations.count == 1)
    }
  }

  @Test("Values given to one record become one operation, and the last counts")
  func coalescing() throws {
    var setup = OutboxSetup()
    let first = try setup.enqueue(
      setup.operation("a", [Document.FieldChange("x", .assign(1, before: nil))], kind: .create))
    let second = try setup.assign("a", "x", 2, before: 1)
    let third = try setup.assign("a", "y", 3)
    let operation = try #require(setup.machine.pending.first)
    #expect(setup.machine.pendingCount == 1 && setup.kept.count == 1)
    #expect(operation.id == first && operation.kind == .create && operation.dots == 1...3)
    #expect(
      operation.changes == [
        Document.FieldChange("x", .assign(2, before: nil)),
        Document.FieldChange("y", .assign(3, before: nil)),
      ])
    #expect(
      setup.actions == [.coalesced(second, into: first), .coalesced(third, into: first)])
    try setup.restart()
    #expect(setup.machine.pending == [operation])
  }

  @Test("What counts, is in a set, was sent, failed, or overlaps is not made one")
  func notCoalescing() throws {
    let one = Document.FieldChange("x", .assign(1, before: nil))
    let pairs: [([Document.FieldChange], [Document.FieldChange])] = [
      ([Document.FieldChange("n", .increment(1))], [Document.FieldChange("n", .increment(1))]),
      ([one], [Document.FieldChange("n", .increment(1))]),
      ([Document.FieldChange("x", .increment(1))], [one]),
      ([one], [Document.FieldChange("s", .insert([1]))]),
      ([one], [Document.FieldChange("s", .take([1]))]),
      ([Document.FieldChange("x.y", .assign(1, before: nil))], [one]),
      ([one], [Document.FieldChange("x.y", .remove(before: nil))]),
    ]
    for (left, right) in pairs {
      var setup = OutboxSetup()
      try setup.enqueue(setup.operation("a", left))
      try setup.enqueue(setup.operation("a", right))
      #expect(setup.machine.pending.map(\.changes) == [left, right])
    }
    for kinds in [(Outbox.OperationKind.delete, .update), (.update, .delete), (.update, .create)]
      as [(Outbox.OperationKind, Outbox.OperationKind)]
    {
      var setup = OutboxSetup()
      try setup.enqueue(setup.operation("a", [one], kind: kinds.0))
      try setup.enqueue(setup.operation("a", [one], kind: kinds.1))
      #expect(setup.machine.pendingCount == 2)
    }
  }

  @Test("A value that was sent, or may have been, is never changed under its identifier")
  func frozen() throws {
    for kind in [RemoteError.Kind.timeout, .networkUnavailable, .cancelled, .unauthorized] {
      var setup = OutboxSetup()
      try setup.assign("a", "x", 1)
      setup.fail(try setup.sent().number, kind)
      try setup.assign("a", "x", 2)
      try setup.assign("a", "x", 3)
      #expect(setup.machine.pending.map(\.changes.count) == [1, 1])
      #expect(
        setup.machine.pending[0].changes == [Document.FieldChange("x", .assign(1, before: nil))])
    }
    var setup = OutboxSetup()
    try setup.assign("a", "x", 1)
    try setup.restart()
    try setup.assign("a", "x", 2)
    #expect(setup.machine.pendingCount == 2, "it may have been on its way when all ended")
    setup.sendAll(.rejected(message: "no", issues: []))
    try setup.assign("a", "x", 3)
    #expect(setup.machine.pending.map(\.dots) == [2...3])
    #expect(setup.machine.deadLetters.map(\.dots) == [1...1])
  }

  @Test("A→B→A keeps the last A")
  func backAndForth() throws {
    var setup = OutboxSetup()
    try setup.assign("a", "x", "B", before: "A")
    let batch = try setup.sent()
    try setup.assign("a", "x", "A", before: "B")
    setup.answer(batch.number, [(batch.ids[0], .accepted(serverVersion: "2"))])
    #expect(
      setup.machine.pending.map(\.changes) == [
        [Document.FieldChange("x", .assign("A", before: "B"))]
      ])
  }

  @Test("Failures are sent again after 1, 2, 4, 8 and 16 seconds, then set aside")
  func backoff() throws {
    var setup = OutboxSetup()
    let id = try setup.count("a")
    for seconds in [1, 2, 4, 8, 16] as [UInt64] {
      #expect(setup.sendAll(.retry(after: nil, message: "busy")) == [id])
      #expect(setup.wake() == setup.now + seconds * 1_000)
      setup.now += seconds * 1_000 - 1
      #expect(setup.send() == nil)
      setup.now += 1
      try setup.restart()
    }
    #expect(setup.machine.pending[0].attempts == 5)
    setup.sendAll(.retry(after: .seconds(1), message: "busy"))
    let dead = try #require(setup.machine.deadLetters.first)
    #expect(dead.failure == Outbox.Failure(.attemptsExhausted, message: "busy"))
    #expect(dead.changes == [Document.FieldChange("likes", .increment(1))])
    #expect(setup.actions == [.deadLettered(dead)] && setup.wake() == nil)
    try setup.restart()
    #expect(setup.machine.deadLetters == [dead] && setup.machine.isDrained)
  }

  @Test("Waits vary by chance within bounds; a server's hint is only made longer")
  func jitter() throws {
    var delays: Set<UInt64> = []
    for seed in 0..<50 as Range<UInt64> {
      var setup = OutboxSetup { $0.jitter = 0.25 }
      setup.random = SeededGenerator(seed: seed)
      try setup.count("a")
      setup.sendAll(.retry(after: nil))
      let delay = try setup.wakeTime() - setup.now
      #expect((750...1_250).contains(delay))
      delays.insert(delay)
      try setup.count("b")
      setup.sendAll(.retry(after: .seconds(30)))
      #expect(setup.machine.pending[1].nextAttemptMilliseconds >= setup.now + 30_000)
      #expect(setup.machine.pending[1].nextAttemptMilliseconds <= setup.now + 37_500)
    }
    #expect(delays.count > 20)
    for hint in [Duration.seconds(Int64.max), .seconds(-5), .zero] {
      var setup = OutboxSetup()
      try setup.count("a")
      setup.sendAll(.retry(after: hint))
      let wait = setup.machine.pending[0].nextAttemptMilliseconds - setup.now
      #expect(wait == (hint > .zero ? 3_600_000 : 0))
    }
  }

  @Test("Being offline for days counts for nothing")
  func offline() throws {
    var setup = OutboxSetup()
    let ids = try (0..<60).map { try setup.count("\($0)") }
    for round in 0..<2_000 {
      if let batch = setup.send() { setup.fail(batch.number, .networkUnavailable) }
      let wake = try setup.wakeTime()
      #expect(wake > setup.now && wake <= setup.now + 16_000, "round \(round)")
      setup.now = wake
    }
    #expect(setup.machine.pending.map(\.id) == ids)
    #expect(setup.machine.pending.allSatisfy { $0.attempts == 0 } && setup.actions.isEmpty)
    setup.fail(try setup.sent().number, .networkUnavailable)
    #expect(setup.send() == nil)
    setup.machine.networkRestored()
    #expect(setup.wake() == setup.now)
    #expect(setup.sendAll(.accepted(serverVersion: "1")).count == 50)
  }

  @Test("An answer that doesn't come leaves all in doubt: it is sent again, in halves")
  func timeouts() throws {
    var setup = OutboxSetup()
    let ids = try (0..<50).map { try setup.count("\($0)") }
    var sizes: [Int] = []
    for _ in 0..<8 {
      let batch = try setup.sent()
      sizes.append(batch.ids.count)
      setup.fail(batch.number, .timeout)
      setup.now = try setup.wakeTime()
    }
    #expect(sizes == [50, 25, 12, 6, 3, 1, 1, 1])
    #expect(setup.machine.pending.map(\.id) == ids)
    #expect(setup.machine.pending.allSatisfy { $0.attempts == 0 } && setup.actions.isEmpty)
    setup.now += 60_000
    var sent: [Outbox.OperationID] = []
    while !setup.machine.isDrained { sent += setup.sendAll(.accepted(serverVersion: "1")) }
    #expect(Set(sent) == Set(ids) && sent.count == 50)
  }

  @Test("An operation that the server can't stand fails alone, and stops no other")
  func poison() throws {
    for kind in RemoteError.Kind.allCases
    where ![.networkUnavailable, .unauthorized, .cancelled].contains(kind) {
      var setup = OutboxSetup()
      let ids = try (0..<200).map { try setup.count("\($0)") }
      let poison = ids[37]
      var pushes = 0
      let start = setup.now
      while setup.machine.pendingCount > 1 || kind == .serverRejected || kind == .corruptLocalState
      {
        pushes += 1
        try #require(pushes < 100)
        if let batch = setup.send() {
          if batch.ids.contains(poison) {
            setup.fail(batch.number, kind)
          } else {
            setup.answer(batch.number, batch.ids.map { ($0, .accepted(serverVersion: "1")) })
          }
        }
        guard let wake = setup.wake() else { break }
        setup.now = wake
      }
      #expect(setup.now - start < 120_000)
      let left = setup.machine.pending + setup.machine.deadLetters
      #expect(left.map(\.id) == [poison])
      let cause = setup.machine.deadLetters.first?.failure?.cause
      switch kind {
      case .serverRejected: #expect(cause == .attemptsExhausted)
      case .corruptLocalState: #expect(cause == .corruptLocalState)
      case .timeout: #expect(cause == nil)
      // While the server does others it counts, and there may be enough of them.
      default: #expect(cause == nil || cause == .serverFailed)
      }
    }
  }

  @Test("Wrong credentials stop all, ask once, and count for nothing")
  func unauthorized() throws {
    var setup = OutboxSetup { $0.batchSize = 1 }
    let ids = try ["a", "b"].map { try setup.count($0) }
    let batches = [try setup.sent(), try setup.sent()]
    for batch in batches { setup.fail(batch.number, .unauthorized) }
    #expect(setup.actions == [.credentialsNeeded] && setup.machine.needsCredentials)
    #expect(setup.send() == nil && setup.wake() == nil)
    setup.machine.credentialsRenewed()
    #expect(setup.sendAll(.accepted(serverVersion: nil)) == [ids[0]])
    #expect(setup.machine.pending.map(\.attempts) == [0])
  }

  @Test("A rejection is a dead letter at once, with its issues, and its lane goes on")
  func rejection() throws {
    var setup = OutboxSetup()
    let ids = try ["a", "a"].map { try setup.count($0, baseVersion: "1") }
    let issues = [Outbox.FieldIssue("likes", "too many")]
    setup.sendAll(.rejected(message: "no", issues: issues))
    let dead = try #require(setup.machine.deadLetters.first)
    #expect(dead.id == ids[0])
    #expect(dead.failure == Outbox.Failure(.rejected, message: "no", issues: issues))
    #expect(setup.actions == [.deadLettered(dead)])
    #expect(setup.machine.operations(of: dead.record).map(\.id) == ids)
    let batch = try setup.sentBatch()
    #expect(batch.operations.map(\.id) == [ids[1]] && batch.operations[0].baseVersion == "1")
  }

  @Test(
    "A dead letter that is retried goes before what was made after it", arguments: [true, false])
  func retrying(restarts: Bool) throws {
    var setup = OutboxSetup()
    let ids = try (0..<4).map { _ in try setup.count("a") }
    setup.sendAll(.rejected(message: "no", issues: []))
    setup.sendAll(.rejected(message: "no", issues: []))
    let batch = try setup.sent()
    #expect(batch.ids == [ids[2]])
    setup.take(setup.machine.retry(ids[1]))
    setup.take(setup.machine.retry(ids[0]))
    #expect(setup.machine.deadLetterCount == 0 && setup.machine.pendingCount == 4)
    setup.answer(batch.number, [(ids[2], .accepted(serverVersion: nil))])
    if restarts { try setup.restart() }
    for id in [ids[0], ids[1], ids[3]] {
      #expect(setup.sendAll(.accepted(serverVersion: nil)) == [id])
    }
    #expect(setup.kept.isEmpty)
    #expect(setup.machine.retry(ids[0]).isEmpty)
  }

  @Test("Discarding a dead letter gives it back, and forgets it")
  func discarding() throws {
    var setup = OutboxSetup()
    let id = try setup.assign("a", "x", 1, before: 0)
    #expect(setup.machine.discard(id).operation == nil)
    setup.sendAll(.rejected(message: "no", issues: []))
    let dead = setup.machine.deadLetters.first
    let (operation, effects) = setup.machine.discard(id)
    setup.take(effects)
    #expect(operation == dead && operation?.changes[0].before == 0)
    #expect(setup.kept.isEmpty && setup.machine.deadLetterCount == 0)
    #expect(setup.machine.operations(of: id.record).isEmpty)
    #expect(setup.machine.discard(id).operation == nil)
  }

  @Test("What waits is sent at once when someone asks for it")
  func retryNow() throws {
    var setup = OutboxSetup()
    let ids = try ["a", "b"].map { try setup.count($0) }
    setup.sendAll(.retry(after: .seconds(600)))
    #expect(setup.send() == nil)
    setup.take(setup.machine.retry(ids[1]))
    #expect(setup.sendAll(.retry(after: nil)) == [ids[1]])
    setup.machine.retryWaiting()
    #expect(setup.send()?.ids == ids)
  }

  @Test("A conflict is rebased, and the lane waits for that")
  func conflict() throws {
    var setup = OutboxSetup()
    let ids = try ["a", "a"].map { try setup.count($0, baseVersion: "1") }
    let server = Outbox.ServerRecord(record: ids[0].record, version: "5", fields: ["x": 1])
    setup.sendAll(.conflict(server: server))
    var operation = setup.machine.pending[0]
    #expect(setup.actions == [.rebase(operation, server)])
    #expect(setup.send() == nil && setup.wake() == nil)
    setup.rebase(ids[1], to: nil)
    #expect(setup.machine.pendingCount == 2, "it isn't that one's turn")
    operation.baseVersion = "5"
    setup.rebase(ids[0], to: operation)
    setup.rebase(ids[0], to: nil)
    let batch = try setup.sentBatch()
    #expect(batch.operations == [operation])
    setup.answer(batch.number, [(ids[0], .accepted(serverVersion: "6"))])
    #expect(setup.machine.pending[0].baseVersion == "1", "it doesn't know of 5: it conflicts too")
    setup.sendAll(.conflict(server: server))
    setup.rebase(ids[1], to: nil)
    #expect(setup.machine.isDrained && setup.kept.isEmpty)
  }

  @Test("Another record's state is no conflict's: it is sent again")
  func conflictOfAnother() throws {
    var setup = OutboxSetup()
    let id = try setup.assign("a", "x", 1)
    let other = Document.RecordID("b", in: setup.operation("a", []).record.collection)
    let server = Outbox.ServerRecord(record: other, version: "5", fields: [:])
    setup.sendAll(.conflict(server: server))
    #expect(!setup.actions.contains { if case .rebase = $0 { true } else { false } })
    #expect(setup.machine.pending.map(\.id) == [id])
  }

  @Test("A conflict that comes again and again waits longer each time")
  func conflicts() throws {
    var setup = OutboxSetup()
    let id = try setup.count("a")
    let server = Outbox.ServerRecord(record: id.record, version: "5", fields: [:])
    var waits: [UInt64] = []
    for _ in 0..<5 {
      setup.sendAll(.conflict(server: server))
      setup.rebase(id, to: setup.machine.pending[0])
      waits.append(try setup.wakeTime() - setup.now)
      setup.now += waits[waits.count - 1]
    }
    #expect(waits == [0, 2_000, 4_000, 8_000, 16_000])
    #expect(setup.machine.pending.map(\.attempts) == [0])
  }

  @Test("The next of a lane is based on the version that the one before it made")
  func versions() throws {
    var setup = OutboxSetup()
    for version in [nil, nil, nil, "1", nil, "2", "9"] as [String?] {
      try setup.count("a", baseVersion: version)
    }
    setup.sendAll(.accepted(serverVersion: "1"))
    #expect(setup.machine.pending.map(\.baseVersion) == ["1", nil, "1", nil, "2", "9"])
    setup.sendAll(.accepted(serverVersion: "2"))
    #expect(setup.machine.pending.map(\.baseVersion) == ["2", "1", nil, "2", "9"])
    setup.sendAll(.rejected(message: "no", issues: []))
    #expect(setup.machine.pending.map(\.baseVersion) == ["2", nil, "2", "9"])
    setup.sendAll(.accepted(serverVersion: "3"))
    #expect(setup.machine.pending.map(\.baseVersion) == [nil, "2", "9"], "it came too late")
    setup.sendAll(.accepted(serverVersion: "1"))
    try setup.restart()
    setup.sendAll(.accepted(serverVersion: "3"))
    #expect(setup.machine.pending.map(\.baseVersion) == ["9"])
  }

  @Test("Answers that are unknown, twice or late are ignored")
  func strangeAnswers() throws {
    var setup = OutboxSetup()
    let ids = try ["a", "b", "a"].map { try setup.count($0) }
    let lost = try setup.sent()
    setup.fail(lost.number, .timeout)
    setup.now += 1_000
    let batch = try setup.sent()
    #expect(batch.ids == [ids[0]])
    let other = try setup.sent()
    let before = setup.kept
    setup.answer(lost.number, [(ids[0], .rejected(message: "late", issues: []))])
    setup.answer(99, [(ids[0], .rejected(message: "no such batch", issues: []))])
    setup.fail(lost.number, .serverRejected)
    #expect(setup.kept == before && setup.machine.batchCount == 2)
    setup.answer(
      batch.number,
      [
        (ids[1], .rejected(message: "in another batch", issues: [])),
        (ids[2], .rejected(message: "not sent", issues: [])),
        (ids[0], .accepted(serverVersion: "1")), (ids[0], .rejected(message: "2nd", issues: [])),
      ])
    #expect(setup.machine.deadLetterCount == 0)
    #expect(setup.machine.pending.map(\.id) == [ids[1], ids[2]])
    setup.answer(other.number, [(ids[1], .accepted(serverVersion: "1"))])
    #expect(setup.machine.pending.map(\.id) == [ids[2]])
  }

  @Test("A backlog is said once each time that it gets there")
  func backlog() throws {
    var setup = OutboxSetup()
    for record in 0..<600 { try setup.count("\(record)") }
    #expect(setup.actions == [.backlog(count: 500)])
    while setup.machine.pendingCount > 480 { setup.sendAll(.accepted(serverVersion: nil)) }
    setup.actions = []
    for record in 0..<60 { try setup.count("\(record)") }
    #expect(setup.actions == [.backlog(count: 500)])
  }

  @Test("Operations that wait already, or have failed, are refused")
  func refusals() throws {
    var setup = OutboxSetup()
    let operation = setup.operation("a", [])
    try setup.enqueue(operation)
    #expect(throws: OutboxRefusal.alreadyQueued(operation.id)) { try setup.enqueue(operation) }
    setup.sendAll(.rejected(message: "no", issues: []))
    #expect(throws: OutboxRefusal.alreadyQueued(operation.id)) { try setup.enqueue(operation) }
    #expect(setup.machine.pendingCount == 0 && setup.kept.count == 1)
  }

  @Test("A clock that is set back doesn't make anything wait for it")
  func clock() throws {
    var setup = OutboxSetup()
    setup.now = 4_000_000_000_000
    let id = try setup.count("a")
    setup.sendAll(.retry(after: nil))
    setup.now = 1_000
    #expect(setup.wake() == 1_000)
    #expect(setup.sendAll(.retry(after: nil)) == [id])
    setup.now = .max
    #expect(setup.sendAll(.retry(after: nil)) == [id])
    setup.fail(setup.send()?.number ?? 0, .timeout)
    setup.now = 5
    try setup.restart()
    #expect(setup.sendAll(.accepted(serverVersion: nil)) == [id])
  }

  @Test("What was not kept by an outbox is refused, by name")
  func damage() throws {
    var setup = OutboxSetup()
    try setup.count("a")
    let (key, value) = try #require(setup.kept.first)
    #expect(key == "outbox/00000001")
    for key in ["outbox/1", "outbox/0000000W", "outbox/0000000v1", "outbox/", "x/00000001"] {
      let damage = #expect(throws: OutboxDamage.self, "\(key)") {
        try OutboxMachine(restoring: [(key, value)], at: 0)
      }
      #expect(damage?.key == key)
    }
    let damage = #expect(throws: OutboxDamage.self) {
      try OutboxMachine(restoring: [(key, Array(value.dropLast()))], at: 0)
    }
    #expect(damage?.key == key && damage?.failure?.reason == .truncated)
  }

  @Test("What waits is woken in the order of its times, and sent in that of its making")
  func waking() throws {
    var setup = OutboxSetup()
    let ids = try (0..<50).map { try setup.count("\($0)") }
    let batch = try setup.sent()
    setup.answer(
      batch.number,
      batch.ids.map {
        ($0, .retry(after: .milliseconds(Int.random(in: 1...60, using: &setup.random))))
      })
    var sent: [Outbox.OperationID] = []
    while !setup.machine.isDrained {
      let first = setup.machine.pending.map(\.nextAttemptMilliseconds).min()
      setup.now = try setup.wakeTime()
      #expect(setup.now == first)
      let due = setup.machine.pending.filter { $0.nextAttemptMilliseconds <= setup.now }
      let next = setup.sendAll(.accepted(serverVersion: nil))
      #expect(next == due.map(\.id))
      sent += next
    }
    #expect(Set(sent) == Set(ids) && sent.count == ids.count)
    for id in 0..<50 { try setup.count("\(id * 7 % 50)") }
    #expect(try setup.sent().ids.map(\.dot.counter) == Array(51...100))
  }

  @Test("Long lanes and many lanes take no longer for each operation than short ones and few")
  func sizes() throws {
    for isOneLane in [true, false] {
      var setup = OutboxSetup { $0.batchSize = 100 }
      let count = isOneLane ? 1_000 : 6_000
      for number in 0..<count { try setup.count(isOneLane ? "a" : "\(number)") }
      #expect(setup.actions == [.backlog(count: 500)])
      setup.actions = []
      var pushes = 0
      while !setup.sendAll(.accepted(serverVersion: "1")).isEmpty { pushes += 1 }
      #expect(pushes == (isOneLane ? count : count / 100))
      #expect(setup.actions.count == count && setup.kept.isEmpty)
    }
  }
}
