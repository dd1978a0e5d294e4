import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

extension OutboxWorld {
  /// Lets one thing happen.
  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<32: try enqueue()
    case 32..<48: send()
    case 48..<66: try deliver()
    case 66..<72: try fail()
    case 72..<78: try rebaseOne()
    case 78..<80: try answerLate()
    case 80..<84: try crash()
    case 84..<87: changeElsewhere()
    case 87..<90: changeMood()
    case 90..<93: try retryOrDiscard()
    case 93..<94: machine.retryWaiting()
    case 94..<95: machine.networkRestored()
    default: now += UInt64.random(in: 0..<20_000, using: &random)
    }
    if chance(10, &random) { try checkKept() }
  }

  private mutating func enqueue() throws {
    let record = Self.records.randomElement(using: &random) ?? Self.records[0]
    counter += UInt64.random(in: 1...3, using: &random)
    let id = Outbox.OperationID(dot: Dot(ReplicaID(1), counter), record: record)
    let isNew = order[record] == nil
    let operation = Outbox.Operation(
      id: id, dots: counter...counter,
      kind: isNew ? .create : chance(3, &random) ? .delete : .update,
      createdMilliseconds: now, changes: changes(), baseVersion: known[record])
    queued[id] = Account(operation.changes)
    order[record, default: []].append(id)
    say("queue \(id) \(operation.kind) \(operation.changes)")
    try commit(try machine.enqueue(operation), isDurable: true)
  }

  private mutating func changes() -> [Document.FieldChange] {
    var changes: [Document.FieldChange] = []
    if chance(70, &random) {
      changes.append(Document.FieldChange("title", .assign(.int(Int64(counter)), before: nil)))
    }
    if chance(30, &random) {
      changes.append(
        chance(80, &random)
          ? Document.FieldChange("a.x", .assign(.int(Int64(counter)), before: nil))
          : Document.FieldChange("a.x", .remove(before: nil)))
    }
    if chance(15, &random) { changes.append(Document.FieldChange("likes", .increment(1))) }
    if chance(10, &random) { changes.append(Document.FieldChange("tags", .insert([.int(7)]))) }
    return changes
  }

  private mutating func send() {
    guard let batch = machine.nextBatch(at: now) else { return }
    say("send \(batch.number): \(batch.operations.map(\.id))")
    batches.append(batch)
  }

  private mutating func takeBatch() -> OutboxBatch? {
    guard !batches.isEmpty else { return nil }
    return batches.remove(at: Int.random(in: 0..<batches.count, using: &random))
  }

  /// Lets the server have a batch, or a part of it, and the answers come or not.
  private mutating func deliver() throws {
    guard let batch = takeBatch() else { return }
    var sent = batch.envelopes
    if chance(10, &random) { sent = Array(sent.prefix(sent.count / 2)) }
    var answers = server.push(sent)
    say("deliver \(batch.number): \(answers.map(\.outcome))")
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let kinds: [RemoteError.Kind] = [.timeout, .unknown, .serverFailed]
      let error = RemoteError(kinds.randomElement(using: &random) ?? .timeout)
      inDoubt.formUnion(answers.map(\.id))
      lateAnswers.append((batch.number, answers))
      say("lose the answers of \(batch.number)")
      try fail(batch, error)
      return
    case 1: answers.removeAll { _ in chance(50, &random) }
    case 2: answers += answers.map { Outbox.Answer($0.id, .rejected(message: "2", issues: [])) }
    default: answers.shuffle(using: &random)
    }
    try take(answers, of: batch.number)
  }

  private mutating func take(_ answers: [Outbox.Answer], of batch: UInt64) throws {
    let effects = machine.received(answers, for: batch, at: now, using: &random)
    try commit(effects, isDurable: chance(30, &random))
  }

  private mutating func fail() throws {
    guard let batch = takeBatch() else { return }
    let kinds: [RemoteError.Kind] = [
      .networkUnavailable, .timeout, .unknown, .cancelled, .unauthorized, .serverRejected,
      .serverFailed,
    ]
    let kind = kinds.randomElement(using: &random) ?? .timeout
    say("fail \(batch.number) \(kind)")
    try fail(batch, RemoteError(kind))
  }

  private mutating func fail(_ batch: OutboxBatch, _ error: RemoteError) throws {
    let effects = machine.failed(batch.number, with: error, at: now, using: &random)
    try commit(effects, isDurable: chance(30, &random))
    if machine.needsCredentials { machine.credentialsRenewed() }
  }

  private mutating func answerLate() throws {
    guard let late = lateAnswers.popLast() else { return }
    let before = machine.pending
    try take(late.answers, of: late.batch)
    guard machine.pending == before else {
      throw Discrepancy(description: "late answers to \(late.batch) were taken in")
    }
  }

  mutating func rebaseOne() throws {
    guard let (operation, record) = conflicts.popLast() else { return }
    var left: Outbox.Operation? = operation
    left?.baseVersion = record.version
    if chance(25, &random) { left = nil }
    rebased.insert(operation.id)
    if left == nil { dropped.insert(operation.id) }
    say("rebase \(operation.id)\(left == nil ? ": nothing is left" : "")")
    let effects = machine.rebased(operation.id, to: left, at: now, using: &random)
    try commit(effects, isDurable: chance(30, &random))
  }

  /// Ends all, and begins anew with what a crash has left.
  private mutating func crash() throws {
    let left = Int.random(in: 0...recent.count, using: &random)
    let lost = recent.count - left
    say("crash: \(lost) commits are lost")
    for commit in recent.prefix(left) { Self.keep(commit, in: &durable) }
    recent = []
    machine = try restored()
    // A restarted machine numbers its batches anew: no answers come from before.
    batches = []
    lateAnswers = []
    conflicts = []
  }

  private func restored() throws -> OutboxMachine {
    var kept = durable
    for commit in recent { Self.keep(commit, in: &kept) }
    return try OutboxMachine(
      restoring: kept.map { ($0.key, $0.value) }, settings: machine.settings, at: now)
  }

  /// Throws unless what is kept makes the same machine.
  func checkKept() throws {
    let other = try restored()
    guard other.pending == machine.pending, other.deadLetters == machine.deadLetters,
      machine.pendingCount == machine.pending.count,
      machine.deadLetterCount == machine.deadLetters.count
    else { throw Discrepancy(description: "what is kept makes another machine") }
  }

  private mutating func changeElsewhere() {
    let record = Self.records.randomElement(using: &random) ?? Self.records[0]
    shared.insert(record)
    say("change \(record) elsewhere")
    server.edit(record, ["title": "theirs"], isDeleted: chance(10, &random))
  }

  private mutating func changeMood() {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: server.rejectedFields = ["a.x": "no"]
    case 1: server.rejectedFields = [:]
    default:
      let record = Self.records.randomElement(using: &random) ?? Self.records[0]
      server.delaysLeft[record] = Int.random(in: 1...4, using: &random)
      server.delayHint = chance(50, &random) ? .seconds(3) : nil
    }
  }

  private mutating func retryOrDiscard() throws {
    guard let dead = machine.deadLetters.randomElement(using: &random) else { return }
    if chance(60, &random) {
      say("retry \(dead.id)")
      try commit(machine.retry(dead.id), isDurable: true)
    } else {
      say("discard \(dead.id)")
      let (operation, effects) = machine.discard(dead.id)
      guard operation == dead else { throw Discrepancy(description: "\(dead.id) isn't given") }
      discarded.insert(dead.id)
      try commit(effects, isDurable: true)
    }
  }
}
