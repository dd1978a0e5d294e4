import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

extension Scenario {
  /// Lets nothing go wrong any more.
  func mendServer() async {
    await server { service in
      service.isDown = false
      service.wantsCredentials = false
      service.answersToLose = 0
      service.failures = []
      service.server.rejectedFields = [:]
      service.server.delaysLeft = [:]
    }
    outbox.credentialsRenewed()
  }

  /// Sends and fetches until nothing is left to be done, retrying what was refused and
  /// settling what is in conflict; says what is left in the end, `nil` if nothing.
  ///
  /// What it does is told, for whoever looks for a fault.
  func heal(_ tell: (String) -> Void = { _ in }) async throws -> String? {
    await mendServer()
    for _ in 0..<30 {
      pass(120_000)
      for letter in outbox.deadLetters {
        tell("retry \(letter.kind) \(letter.id): \(letter.changes)")
        try await outbox.retry(letter.id)
      }
      for conflict in store.document.conflicts {
        tell("resolve \(conflict)")
        _ = try await store.resolve(conflict, with: conflict.sides[0].value)
      }
      outbox.retryWaiting()
      for operation in outbox.pending {
        tell("pending \(operation.kind) \(operation.id): \(operation.changes)")
      }
      let report = await outbox.sync()
      tell("\(report)")
      if let interruption = report.interruption { return "interrupted: \(interruption)" }
      let isDone = outbox.deadLetters.isEmpty && store.document.conflicts.isEmpty
      if report.isComplete, report.sent == 0, report.pulled == 0, isDone { return nil }
    }
    return "it doesn't come to an end: \(outbox.pending)"
  }

  /// How what is here and what is at the server differ, and which operations had more
  /// than one effect; `nil` if neither.
  func discrepancy(of records: [Document.RecordID]) async -> String? {
    let service = await transport.service
    for record in records {
      let here = store.document.fields(of: record.record, in: record.collection)
      let there = service.server.record(record)
      let fields = there?.isDeleted == false ? there?.fields : nil
      if here != fields {
        return "\(record) is \(Self.text(here)) here, \(Self.text(fields)) at the server"
      }
    }
    let effects = service.server.effects.map(\.id)
    guard Set(effects).count == effects.count else { return "an effect came twice: \(effects)" }
    return nil
  }

  private static func text(_ fields: [String: Document.Value]?) -> String {
    guard let fields else { return "not there" }
    return fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      .joined(separator: ", ")
  }
}
