import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// A machine, what is kept of it, and the time.
struct OutboxSetup {
  var machine: OutboxMachine
  var kept: [String: [UInt8]] = [:]
  var actions: [OutboxAction] = []
  var now: UInt64 = 1_000_000
  var counter: UInt64 = 0
  var random = SeededGenerator(seed: 1)

  /// Creates a setup that knows no chance: waits are as long as they are said to be.
  init(_ change: (inout Outbox.Settings) -> Void = { _ in }) {
    var settings = Outbox.Settings()
    settings.jitter = 0
    change(&settings)
    machine = OutboxMachine(settings: settings)
  }

  static let replica = ReplicaID(0xA1)

  mutating func operation(
    _ record: String, _ changes: [Document.FieldChange], kind: Outbox.OperationKind = .update,
    baseVersion: String? = nil
  ) -> Outbox.Operation {
    counter += 1
    return Outbox.Operation(
      id: Outbox.OperationID(
        dot: Dot(Self.replica, counter), record: Document.RecordID(record, in: "notes")),
      dots: counter...counter, kind: kind, createdMilliseconds: now, changes: changes,
      baseVersion: baseVersion)
  }

  /// Queues an operation that counts, so that it isn't taken into another.
  @discardableResult
  mutating func count(_ record: String, baseVersion: String? = nil) throws -> Outbox.OperationID {
    try enqueue(
      operation(record, [Document.FieldChange("likes", .increment(1))], baseVersion: baseVersion))
  }

  @discardableResult
  mutating func assign(
    _ record: String, _ path: FieldPath, _ value: Document.Value, before: Document.Value? = nil
  ) throws -> Outbox.OperationID {
    try enqueue(operation(record, [Document.FieldChange(path, .assign(value, before: before))]))
  }

  @discardableResult
  mutating func enqueue(_ operation: Outbox.Operation) throws -> Outbox.OperationID {
    take(try machine.enqueue(operation))
    return operation.id
  }

  mutating func take(_ effects: OutboxEffects) {
    for (key, value) in effects.values { kept[key] = value }
    actions += effects.actions
  }

  /// The identifiers of the next batch, and its number.
  mutating func send() -> (ids: [Outbox.OperationID], number: UInt64)? {
    machine.nextBatch(at: now).map { ($0.operations.map(\.id), $0.number) }
  }

  mutating func sent() throws -> (ids: [Outbox.OperationID], number: UInt64) {
    let batch = try sentBatch()
    return (batch.operations.map(\.id), batch.number)
  }

  mutating func sentBatch() throws -> OutboxBatch {
    let batch = machine.nextBatch(at: now)
    return try #require(batch)
  }

  mutating func wakeTime() throws -> UInt64 {
    let time = wake()
    return try #require(time)
  }

  mutating func answer(_ batch: UInt64, _ answers: [(Outbox.OperationID, Outbox.Outcome)]) {
    let answers = answers.map { Outbox.Answer($0, $1) }
    take(machine.received(answers, for: batch, at: now, using: &random))
  }

  mutating func fail(_ batch: UInt64, _ kind: RemoteError.Kind, after hint: Duration? = nil) {
    let error = RemoteError(kind, "x", retryAfter: hint)
    take(machine.failed(batch, with: error, at: now, using: &random))
  }

  mutating func rebase(_ id: Outbox.OperationID, to operation: Outbox.Operation?) {
    take(machine.rebased(id, to: operation, at: now, using: &random))
  }

  /// Sends the next batch, and answers the same about all of it.
  @discardableResult
  mutating func sendAll(_ outcome: Outbox.Outcome) -> [Outbox.OperationID] {
    guard let (ids, number) = send() else { return [] }
    answer(number, ids.map { ($0, outcome) })
    return ids
  }

  mutating func wake() -> UInt64? { machine.wakeMilliseconds(after: now) }

  /// Makes the machine anew from what is kept.
  mutating func restart() throws {
    machine = try OutboxMachine(
      restoring: kept.map { ($0.key, $0.value) }.shuffled(using: &random),
      settings: machine.settings, at: now)
  }
}
