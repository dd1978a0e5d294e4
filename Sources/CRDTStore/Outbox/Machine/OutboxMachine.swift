public import CRDTKit

/// Decides what an outbox sends when, and what follows from the answers; it does
/// nothing itself.
///
/// Whoever runs it keeps the values that each call gives (``OutboxEffects``) in the
/// commit that the call belongs to, sends the batches, and tells what came back:
///
///     var machine = try OutboxMachine(restoring: kept, at: now)
///     let effects = try machine.enqueue(operation)         // in the commit that made it
///     while let batch = machine.nextBatch(at: now) {
///       let answers = try await transport.push(batch.envelopes)
///       keep(machine.received(answers, for: batch.number, at: now, using: &random))
///     }
///     sleep(until: machine.wakeMilliseconds(after: now))
///
/// Operations of one record are a *lane*: they are sent in the order in which they
/// were made, one at a time. Lanes don't wait for each other. An operation leaves by
/// an answer to itself, and in no other way:
///
/// | answer | what follows |
/// |---|---|
/// | accepted | it is done; the lane's next is based on the version that the server gave |
/// | rejected | it is a dead letter at once, and the lane goes on |
/// | retry | it is sent again after 1, 2, 4, 8, 16 seconds, or when the server said; then it is a dead letter |
/// | conflict | it is rebased on the server's record; what lost is superseded, and the rest is sent again |
/// | none | it is in doubt, and is sent again under the same identifier |
///
/// Being offline, timeouts and wrong credentials count for nothing, however long they
/// last. A batch that the server refuses as a whole is sent again in halves, until
/// the operation that it can't stand is alone: it fails alone.
///
/// So does one over which the server fails, as with a status 500. That counts as a "retry"
/// does where the server does the next thing that it is asked, be it another operation: so
/// a server that is down sets nothing aside. Where it does nothing any more, it counts once
/// in ``OutboxSettings/outageMilliseconds``.
///
/// What is on its way is not kept: after a crash it is sent again, under the same
/// identifier. A value that was never written, since a commit failed, must not be
/// gone on with: make the machine anew from what is kept.
public struct OutboxMachine: Sendable {
  /// How it sends.
  public let settings: OutboxSettings
  /// How many operations are to be sent, or on their way.
  public internal(set) var pendingCount = 0
  /// How many operations failed for good.
  public internal(set) var deadLetterCount = 0
  /// Whether nothing is sent until there are other credentials.
  public internal(set) var needsCredentials = false

  /// The lanes, and the empty places among them.
  var lanes: [Lane] = []
  var freeSlots: [Int] = []
  var slots: [Document.RecordID: Int] = [:]
  /// The lanes that have dead letters.
  var deadSlots: Set<Int> = []

  /// Lanes that can send, by the place in the queue of what they send.
  var ready = MinHeap<LaneTurn>()
  /// Those of them that must send alone.
  var readyAlone = MinHeap<LaneTurn>()
  /// Whether the last batch was one of those.
  var sentAlone = false
  /// Lanes that wait, by the time until when.
  var waiting = MinHeap<LaneTurn>()

  /// The lanes of the batches that are on their way.
  var batches: [UInt64: [Int]] = [:]
  var nextBatchNumber: UInt64 = 1
  var nextSequence: UInt64 = 1

  /// How many operations go into a batch now: fewer after one has failed.
  var batchLimit: Int
  /// The operation over which the server failed last, while it isn't known whether that is
  /// the operation's fault or the server's.
  var lastFailure: LaneFailure?
  /// How often in a row the server could not be asked.
  var linkFailures = 0
  /// Until when nothing is sent.
  var linkWaitMilliseconds: UInt64 = 0
  /// The time when something was last to be sent.
  var latestMilliseconds: UInt64 = 0

  /// Creates the machine of an empty outbox.
  public init(settings: OutboxSettings = OutboxSettings()) {
    self.settings = settings
    batchLimit = settings.batchSize
  }
}

extension OutboxMachine {
  /// How many batches are on their way.
  public var batchCount: Int { batches.count }

  /// Whether nothing is to be sent, or on its way; there may be dead letters.
  public var isDrained: Bool { pendingCount == 0 }

  /// The operations of a record that the server hasn't done, dead letters among
  /// them, in the order in which they were made.
  ///
  /// - Complexity: O(n log n) for the record's operations.
  public func operations(of record: Document.RecordID) -> [OutboxOperation] {
    guard let slot = slots[record] else { return [] }
    let lane = lanes[slot]
    // One that was retried may wait after one that was made later.
    return (lane.pending + lane.dead.values).sorted { $0.sequence < $1.sequence }
      .map(\.operation)
  }

  /// Those of them that the record there is now may have changes of: all but those that
  /// failed before it was made anew.
  ///
  /// - Complexity: O(n log n) for the record's operations.
  func unheard(of record: Document.RecordID) -> [OutboxOperation] {
    guard let slot = slots[record] else { return [] }
    let lane = lanes[slot]
    return (lane.pending + lane.dead.values.filter { !$0.isPast })
      .sorted { $0.sequence < $1.sequence }.map(\.operation)
  }

  /// All operations that are to be sent or on their way, in the order in which they
  /// were made.
  ///
  /// - Complexity: O(n log n) for all operations.
  public var pending: [OutboxOperation] {
    lanes.flatMap(\.pending).sorted { $0.sequence < $1.sequence }.map(\.operation)
  }

  /// The operations that failed for good, in the order in which they were made.
  ///
  /// - Complexity: O(n log n) for the dead letters.
  public var deadLetters: [OutboxOperation] {
    deadSlots.flatMap { lanes[$0].dead.values }.sorted { $0.sequence < $1.sequence }
      .map(\.operation)
  }
}
