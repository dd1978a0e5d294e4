import CRDTKit
import CRDTTestSupport
import Testing

@testable import CRDTStore

/// What the store asks the machine about one record, and tells it of one.
@Suite("The machine of the outbox, asked about a record")
struct OutboxMachineRecordTests {
  private static let record = Document.RecordID("a", in: "notes")

  private func change(_ value: Document.Value, before: Document.Value?) -> Document.FieldChange {
    Document.FieldChange("title", .assign(value, before: before))
  }

  /// A dead letter, and what waits behind it.
  private func setupWithLetter() throws -> (OutboxSetup, Outbox.OperationID, Outbox.OperationID) {
    var setup = OutboxSetup()
    let letter = try setup.assign("a", "title", "1", before: "0")
    setup.sendAll(.rejected(message: "no", issues: []))
    let later = try setup.assign("a", "title", "2", before: "1")
    setup.actions = []
    return (setup, letter, later)
  }

  @Test("What waits of a record is given while none of it may be at the server")
  func waiting() throws {
    var setup = OutboxSetup()
    #expect(setup.machine.waiting(of: Self.record).isEmpty)
    let (first, second) = (try setup.count("a"), try setup.count("a"))
    try setup.count("b")
    #expect(setup.machine.waiting(of: Self.record).map(\.id) == [first, second])
    // On its way, and in doubt, it may be there.
    let batch = try setup.sent()
    #expect(setup.machine.waiting(of: Self.record).isEmpty)
    setup.fail(batch.number, .timeout)
    #expect(setup.machine.waiting(of: Self.record).isEmpty)
    setup.now += 60_000
    let again = try setup.sentBatch()
    let server = Outbox.ServerRecord(record: Self.record, version: "7", fields: [:])
    setup.answer(again.number, again.operations.map { ($0.id, .conflict(server: server)) })
    #expect(setup.machine.waiting(of: Self.record).isEmpty, "it is being rebased")
    let head = try #require(setup.machine.operations(of: Self.record).first)
    setup.rebase(first, to: head)
    #expect(setup.machine.waiting(of: Self.record).map(\.id) == [first, second])
    // What was sent and not done waits as well.
    setup.now += 60_000
    setup.fail(try setup.sent().number, .networkUnavailable)
    #expect(setup.machine.waiting(of: Self.record).map(\.id) == [first, second])
  }

  @Test("What waits is replaced by what is left of it, and what lost is said")
  func replaced() throws {
    var setup = OutboxSetup()
    let first = try setup.count("a")
    var left = setup.operation(
      "a", [change("1", before: "0"), Document.FieldChange("likes", .increment(2))])
    try setup.enqueue(left)
    setup.actions = []
    var lost = left
    lost.changes = [left.changes[0]]
    left.changes = [left.changes[1]]
    left.baseVersion = "7"
    setup.take(setup.machine.replaced(left.id, by: left, losing: lost, at: setup.now))
    #expect(setup.actions == [.superseded(lost)])
    #expect(setup.machine.pending.map(\.id) == [first, left.id])
    #expect(setup.machine.pending.last == left)
    try setup.restart()
    #expect(setup.machine.pending.last == left, "that is kept")
    // Where nothing is left, and nothing lost, the server has it: first or not.
    setup.actions = []
    setup.take(setup.machine.replaced(left.id, by: nil, losing: nil, at: setup.now))
    #expect(setup.actions == [.accepted(left, serverVersion: nil)])
    #expect(setup.machine.pending.map(\.id) == [first] && setup.machine.pendingCount == 1)
    let head = try #require(setup.machine.pending.first)
    setup.actions = []
    setup.take(setup.machine.replaced(first, by: nil, losing: head, at: setup.now))
    #expect(setup.actions == [.superseded(head)])
    #expect(setup.machine.isDrained && setup.kept.isEmpty && setup.send() == nil)
    setup.take(setup.machine.replaced(first, by: nil, losing: nil, at: setup.now))
    #expect(setup.machine.isDrained, "one that isn't there is ignored")
  }

  @Test("A dead letter that is superseded is forgotten, and what came after begins before it")
  func superseded() throws {
    var (setup, letter, later) = try setupWithLetter()
    let operation = try #require(setup.machine.deadLetters.first)
    setup.take(setup.machine.supersede(letter))
    #expect(setup.actions == [.superseded(operation)])
    #expect(setup.machine.deadLetterCount == 0)
    #expect(setup.machine.pending.map(\.id) == [later])
    #expect(setup.machine.pending.first?.changes == [change("2", before: "0")])
    try setup.restart()
    #expect(setup.machine.pending.first?.changes == [change("2", before: "0")])
    setup.actions = []
    setup.take(setup.machine.supersede(later))
    #expect(setup.actions.isEmpty && setup.machine.pendingCount == 1, "it is no dead letter")
  }

  @Test("A record that is made anew has nothing of what failed before, also after a restart")
  func madeAnew() throws {
    var (setup, letter, later) = try setupWithLetter()
    #expect(setup.machine.unheard(of: Self.record).map(\.id) == [letter, later])
    #expect(!setup.machine.isPast(letter))
    setup.take(setup.machine.madeAnew(Self.record))
    let anew = try setup.count("a")
    for _ in 0..<2 {
      #expect(setup.machine.isPast(letter) && !setup.machine.isPast(later))
      // What waits is still sent, before the record that is made anew.
      #expect(setup.machine.unheard(of: Self.record).map(\.id) == [later, anew])
      #expect(setup.machine.operations(of: Self.record).map(\.id) == [letter, later, anew])
      try setup.restart()
    }
    let second = try setupWithLetter()
    #expect(!second.0.machine.isPast(second.1))
    #expect(setup.machine.madeAnew(Document.RecordID("b", in: "notes")).values.isEmpty)
  }
}
