package import CRDTKit

/// A state machine that decides what an outbox sends and when.
///
/// It does no I/O itself.
///
/// You store the values that each call returns (``OutboxEffects``) in the commit that the
/// call belongs to, send the batches, and pass in the answers:
///
///     var machine = try OutboxMachine(restoring: kept, at: now)
///     let effects = try machine.enqueue(operation)         // in the commit that made it
///     while let batch = machine.nextBatch(at: now) {
///       let answers = try await transport.push(batch.envelopes)
///       keep(machine.received(answers, for: batch.number, at: now, using: &random))
///     }
///     sleep(until: machine.wakeMilliseconds(after: now))
///
/// The operations of one record form a *lane*. They are sent one at a time, in the order of
/// their creation. Lanes don't wait for each other. Only an answer to the operation itself
/// removes it:
///
/// | answer | effect |
/// |---|---|
/// | accepted | it is done; the lane's next operation is based on the server's new version |
/// | rejected | it becomes a dead letter at once, and the lane continues |
/// | retry | it is sent again after 1, 2, 4, 8, 16 seconds, or when the server asks; then it becomes a dead letter |
/// | conflict | it is rebased on the server's record; lost changes are superseded, and the rest is sent again |
/// | none | it is in doubt, and is sent again under the same identifier |
///
/// Being offline, timeouts and wrong credentials never count as attempts, however long they
/// last. A batch that the server rejects as a whole is sent again in halves, until the
/// rejected operation is alone. Only that operation fails.
///
/// An operation that makes the server fail, for example with status 500, is isolated in the
/// same way. The failure counts as an attempt if the server then processes its next
/// request, even for another operation. An outage therefore makes no dead letters. If the
/// server processes nothing any more, the failure counts once per
/// ``Outbox/Settings/minimumOutage``.
///
/// Which operations are being sent is not stored. After a crash they are sent again, under
/// the same identifiers. If a commit fails, its values were never written: don't continue
/// with this machine, but create a new one from the stored values.
package struct OutboxMachine: Sendable {
  /// The settings.
  package let settings: Outbox.Settings
  /// The number of pending operations, including those being sent.
  package internal(set) var pendingCount = 0
  /// The number of dead letters.
  package internal(set) var deadLetterCount = 0
  /// Whether sending is stopped until there are new credentials.
  package internal(set) var needsCredentials = false

  /// The lanes, including free slots.
  var lanes: [Lane] = []
  var freeSlots: [Int] = []
  var slots: [Document.RecordID: Int] = [:]
  /// The lanes that have dead letters.
  var deadSlots: Set<Int> = []

  /// Lanes that can send, ordered by the queue position of their first operation.
  var ready = MinHeap<LaneTurn>()
  /// Lanes that can send, but only alone in a batch.
  var readyAlone = MinHeap<LaneTurn>()
  /// Whether the last batch was sent by a lane that must send alone.
  var sentAlone = false
  /// Waiting lanes, ordered by the end of their wait.
  var waiting = MinHeap<LaneTurn>()

  /// The lanes of the batches that are not answered yet.
  var batches: [UInt64: [Int]] = [:]
  var nextBatchNumber: UInt64 = 1
  var nextSequence: UInt64 = 1

  /// The current size limit of a batch, which is lower after a failure.
  var batchLimit: Int
  /// The operation of the latest server failure, while it is unknown whether the operation
  /// or the server is the cause.
  var lastFailure: LaneFailure?
  /// How often in a row the server could not be reached.
  var linkFailures = 0
  /// Until when nothing is sent.
  var linkWaitMilliseconds: UInt64 = 0
  /// The latest time passed in.
  var latestMilliseconds: UInt64 = 0

  /// Creates the machine of an empty outbox.
  package init(settings: Outbox.Settings = Outbox.Settings()) {
    self.settings = settings
    batchLimit = settings.batchSize
  }
}

extension OutboxMachine {
  /// The number of batches that are not answered yet.
  package var batchCount: Int { batches.count }

  /// Whether no operation is pending.
  ///
  /// There may be dead letters.
  package var isDrained: Bool { pendingCount == 0 }

  /// The operations of a record that the server hasn't applied, including dead letters, in
  /// the order of their creation.
  ///
  /// - Complexity: O(n log n) for the record's operations.
  package func operations(of record: Document.RecordID) -> [Outbox.Operation] {
    guard let slot = slots[record] else { return [] }
    let lane = lanes[slot]
    // A retried operation may be queued after a later one.
    return (lane.pending + lane.dead.values).sorted { $0.sequence < $1.sequence }
      .map(\.operation)
  }

  /// The operations of the current record that the server hasn't applied: all except those
  /// that failed before the record was recreated.
  ///
  /// - Complexity: O(n log n) for the record's operations.
  func unheard(of record: Document.RecordID) -> [Outbox.Operation] {
    guard let slot = slots[record] else { return [] }
    let lane = lanes[slot]
    return (lane.pending + lane.dead.values.filter { !$0.isPast })
      .sorted { $0.sequence < $1.sequence }.map(\.operation)
  }

  /// Whether a pending operation may have been a dead letter before.
  ///
  /// - Complexity: O(operations of the record).
  func isRetried(_ id: Outbox.OperationID) -> Bool {
    guard let slot = slots[id.record] else { return false }
    return lanes[slot].pending.contains { $0.operation.id == id && $0.mayBeRetried }
  }

  /// Whether an operation of a record is a dead letter, or may have been one before.
  ///
  /// One in a conflict doesn't count: the server has just said that it did not apply it.
  ///
  /// - Complexity: O(operations of the record).
  func holdsRefused(of record: Document.RecordID) -> Bool {
    guard let slot = slots[record] else { return false }
    let lane = lanes[slot]
    return !lane.dead.isEmpty
      || lane.pending.dropFirst(lane.phase == .rebasing ? 1 : 0).contains(where: \.mayBeRetried)
  }

  /// The pending operations, including those being sent, in the order of their creation.
  ///
  /// - Complexity: O(n log n) for all operations.
  package var pending: [Outbox.Operation] {
    lanes.flatMap(\.pending).sorted { $0.sequence < $1.sequence }.map(\.operation)
  }

  /// The dead letters, in the order of their creation.
  ///
  /// - Complexity: O(n log n) for the dead letters.
  package var deadLetters: [Outbox.Operation] {
    deadSlots.flatMap { lanes[$0].dead.values }.sorted { $0.sequence < $1.sequence }
      .map(\.operation)
  }
}
