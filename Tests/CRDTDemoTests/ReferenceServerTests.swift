import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

/// The server for outboxes in a process of its own, through the built program.
@Suite("The reference server")
struct ReferenceServerTests {
  private func start(timeoutMilliseconds: Int = 10_000) throws -> ServerProcess {
    Syscalls.prepareProcess()
    return try ServerProcess(
      path: try DemoRun.path(), timeoutMilliseconds: timeoutMilliseconds)
  }

  private func creation(_ counter: UInt64, _ record: String) -> Outbox.Envelope {
    Outbox.Envelope(
      id: Outbox.OperationID(
        dot: Dot(ReplicaID(1), counter), record: Document.RecordID(record, in: "notes")),
      kind: .create, createdMilliseconds: 0,
      changes: [Document.FieldChange("title", .assign("é \n \u{0}", before: nil))])
  }

  @Test("keeps the contract of transports")
  func contract() async throws {
    let server = try start()
    #expect(await OutboxTransportContract.check(server) == [])
    #expect(await OutboxTransportContract.check(server) == [])
    await server.stop()
  }

  @Test("fails as it is told to, and does each operation once")
  func controls() async throws {
    let server = try start()
    let operation = creation(1, "n1")
    try await server.control(ServerControl(isDown: true))
    await #expect(throws: RemoteError(.networkUnavailable, "the server is down")) {
      try await server.push([operation])
    }
    try await server.control(ServerControl(isDown: false, wantsCredentials: true))
    await #expect(throws: RemoteError(.unauthorized, "the token has expired")) {
      try await server.push([operation])
    }
    try await server.control(
      ServerControl(
        wantsCredentials: false, answersToLose: 1,
        rejectField: Outbox.FieldIssue("due", "is past")))
    await #expect(throws: RemoteError(.timeout, "the answer was lost")) {
      try await server.push([operation])
    }
    #expect(
      try await server.push([operation])
        == [Outbox.Answer(operation.id, .accepted(serverVersion: "1"))])
    #expect(try await server.effects() == [operation])
    var due = creation(2, "n2")
    due.changes = [Document.FieldChange("due", .assign(.timestamp(5), before: nil))]
    #expect(
      try await server.push([due]).map(\.outcome)
        == [.rejected(message: "not valid", issues: [Outbox.FieldIssue("due", "is past")])])
    try await server.control(
      ServerControl(
        acceptsAllFields: true,
        delay: ServerControl.Delay(
          entityType: "notes", entityId: "n2", count: 1, retryAfterMillis: 7)))
    #expect(
      try await server.push([due]).map(\.outcome)
        == [.retry(after: .milliseconds(7), message: "busy")])
    try await server.control(
      ServerControl(
        edit: ServerControl.Edit(entityType: "notes", entityId: "n2", fields: ["x": 1])))
    let record = Outbox.ServerRecord(record: due.record, version: "1", fields: ["x": 1])
    #expect(try await server.push([due]).map(\.outcome) == [.conflict(server: record)])
    let error = RemoteError(.serverRejected, "too large", retryAfter: .seconds(2))
    try await server.control(ServerControl(failures: [error]))
    await #expect(throws: error) { try await server.push([]) }
    await server.stop()
    await #expect(throws: RemoteError(.networkUnavailable, "the server has ended")) {
      try await server.push([])
    }
  }

  @Test("is not waited for too long, and its late answers are dropped")
  func latency() async throws {
    let server = try start(timeoutMilliseconds: 300)
    try await server.control(ServerControl(latencyMillis: 0))
    let operation = creation(1, "n1")
    let slow = Task { try? await server.control(ServerControl(latencyMillis: 400)) }
    await slow.value
    await #expect(throws: RemoteError.self) { try await server.push([operation]) }
    let task = Task { try await server.push([operation]) }
    task.cancel()
    await #expect(throws: RemoteError(.cancelled)) { try await task.value }
    for _ in 0..<20 where (try? await server.control(ServerControl(latencyMillis: 0))) != nil {
      break
    }
    #expect(try await server.effects() == [operation])
    await server.stop()
  }

  @Test("answers lines that are no requests with what is wrong, and goes on")
  func badLines() throws {
    let run = try DemoRun.run(
      "reference-server",
      input: """
        {
        {"id":1}
        {"id":2,"push":[{"operationId":"x","type":"create"}]}
        {"id":3,"pull":{"entityType":"notes","cursor":"AAAA"}}
        {"id":4,"report":true}

        """)
    #expect(run.status == 0 && run.errors.isEmpty)
    try #require(run.lines.count == 5)
    #expect(run.lines[0].contains("not a request") && run.lines[2].contains("not a request"))
    #expect(run.lines[1] == #"{"id":1}"#)
    #expect(run.lines[3].contains("the cursor is not one of this server"))
    #expect(run.lines[4] == #"{"effects":[],"id":4}"#)
  }
}
