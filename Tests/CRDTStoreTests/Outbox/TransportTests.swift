import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// The contract of transports, and the fake that keeps it.
@Suite("Transports of the outbox")
struct TransportTests {
  @Test("The fake transport keeps the contract")
  func fake() async {
    let transport = FakeServer()
    #expect(await OutboxTransportContract.check(transport) == [])
    #expect(await OutboxTransportContract.check(transport) == [])
  }

  @Test("A transport that tells how a server fails keeps the contract")
  func faulty() async {
    let transport = FaultyTransport()
    let found = await OutboxTransportContract.check(transport) { transport.fault = $0 }
    #expect(found == [])
  }

  @Test(
    "A transport that tells a failure wrongly is found out",
    arguments: FaultyTransport.Flaw.allCases
  )
  func flaws(flaw: FaultyTransport.Flaw) async {
    let transport = FaultyTransport(flaw)
    let found = await ContractPatience.$limit.withValue(.milliseconds(2_500)) {
      await OutboxTransportContract.check(transport) { transport.fault = $0 }
    }
    #expect(!found.isEmpty && found.allSatisfy { flaw.breaks($0.rule) }, "\(found)")
  }

  /// A transport that keeps the contract but for one thing.
  private struct Broken: Outbox.Transport {
    enum Fault: CaseIterable {
      case doesTwice, answersOne, neverConflicts, losesDeletions, forgetsCursor, failsAll,
        doublesPage
    }

    let inner = FakeServer()
    let fault: Fault

    func push(
      _ operations: [Outbox.Envelope]
    ) async throws(RemoteError) -> [Outbox.Answer] {
      var sent = operations
      for place in sent.indices {
        let record = await inner.service.server.record(sent[place].record)
        if fault == .neverConflicts { sent[place].baseVersion = record?.version }
        if fault == .doesTwice, let record {
          sent[place].baseVersion = record.version
          let dot = Dot(ReplicaID(7), UInt64.random(in: 1..<1 << 40))
          sent[place].id = Outbox.OperationID(dot: dot, record: sent[place].record)
        }
      }
      let answers = try await inner.push(sent)
      if fault == .failsAll, answers.contains(where: { !$0.isAcceptance }) {
        throw RemoteError(.serverRejected)
      }
      if fault == .answersOne { return Array(answers.prefix(1)) }
      return zip(operations, answers).map { Outbox.Answer($0.id, $1.outcome) }
    }

    func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
      var request = request
      if fault == .forgetsCursor { request.cursor = nil }
      if fault == .doublesPage {
        request = Outbox.PullRequest(
          collection: request.collection, cursor: request.cursor, limit: 4)
      }
      var page = try await inner.pull(request)
      if fault == .losesDeletions { page.records.removeAll(where: \.isDeleted) }
      if fault == .forgetsCursor { page.hasMore = false }
      return page
    }
  }

  @Test("A transport that breaks the contract is found out")
  func broken() async {
    for fault in Broken.Fault.allCases {
      let violations = await OutboxTransportContract.check(Broken(fault: fault))
      #expect(!violations.isEmpty, "\(fault)")
    }
  }

  @Test("The fake is down, wants credentials, loses answers and is slow when it is told to")
  func faults() async throws {
    let transport = FakeServer()
    let record = Document.RecordID("n1", in: "notes")
    let operation = Outbox.Envelope(
      id: Outbox.OperationID(dot: Dot(ReplicaID(1), 1), record: record), kind: .create,
      createdMilliseconds: 0, changes: [Document.FieldChange("likes", .increment(2))])
    await transport.change { $0.isDown = true }
    await #expect(throws: RemoteError(.networkUnavailable, "the server is down")) {
      try await transport.push([operation])
    }
    await transport.change { service in
      service.isDown = false
      service.wantsCredentials = true
    }
    await #expect(throws: RemoteError(.unauthorized, "the token has expired")) {
      try await transport.pull(Outbox.PullRequest(collection: "notes"))
    }
    await transport.change { service in
      service.wantsCredentials = false
      service.answersToLose = 1
    }
    await #expect(throws: RemoteError(.timeout, "the answer was lost")) {
      try await transport.push([operation])
    }
    let answers = try await transport.push([operation])
    #expect(answers == [Outbox.Answer(operation.id, .accepted(serverVersion: "1"))])
    let server = await transport.service.server
    #expect(server.effects.count == 1)
    #expect(server.record(record)?.fields == ["likes": 2])
    await transport.setLatency(.seconds(600))
    let task = Task { try await transport.push([operation]) }
    task.cancel()
    await #expect(throws: RemoteError(.cancelled)) { try await task.value }
  }

  @Test("The reference server does what operations say, field by field")
  func effects() {
    var server = ReferenceServer()
    let record = Document.RecordID("n1", in: "notes")
    var counter: UInt64 = 0
    func push(_ kind: Outbox.OperationKind, _ changes: [Document.FieldChange]) -> Outbox.Outcome? {
      counter += 1
      let id = Outbox.OperationID(dot: Dot(ReplicaID(1), counter), record: record)
      return server.push([
        Outbox.Envelope(
          id: id, kind: kind, createdMilliseconds: 0, changes: changes,
          baseVersion: server.record(record)?.version)
      ]).first?.outcome
    }
    #expect(
      push(.update, []) == .rejected(message: "there is no such record", issues: []))
    #expect(
      push(
        .create,
        [
          Document.FieldChange("a.b", .assign(1, before: nil)),
          Document.FieldChange("n", .increment(.max)),
          Document.FieldChange("tags", .insert(["x", "y"])),
          Document.FieldChange("old", .assign(nil, before: nil)),
        ]) == .accepted(serverVersion: "1"))
    #expect(
      push(
        .update,
        [
          Document.FieldChange("a.c", .assign(2, before: nil)),
          Document.FieldChange("n", .increment(-1)),
          Document.FieldChange("tags", .take(["x"])), Document.FieldChange("tags", .insert(["z"])),
          Document.FieldChange("old", .remove(before: nil)),
        ]) == .accepted(serverVersion: "2"))
    let fields: [String: Document.Value] = [
      "a": ["b": 1, "c": 2], "n": .int(.max - 1), "tags": ["y", "z"],
    ]
    #expect(server.record(record)?.fields == fields)
    let issue = Outbox.FieldIssue("n", "the number is too great")
    #expect(
      push(
        .update,
        [
          Document.FieldChange("a.b", .remove(before: nil)),
          Document.FieldChange("n", .increment(2)),
        ])
        == .rejected(message: "not possible", issues: [issue]))
    #expect(server.record(record)?.fields == fields, "a rejected operation changes nothing")
    #expect(push(.delete, []) == .accepted(serverVersion: "3"))
    #expect(server.record(record)?.isDeleted == true)
    #expect(
      push(.create, [Document.FieldChange("n", .increment(1))]) == .accepted(serverVersion: "4"))
    #expect(server.record(record)?.fields == ["n": 1])
  }
}

extension Outbox.Answer {
  fileprivate var isAcceptance: Bool {
    if case .accepted = outcome { true } else { false }
  }
}
