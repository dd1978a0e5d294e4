package import CRDTKit

/// The outbox of a store, a step at a time: for whoever has a clock and a network of
/// their own, as a simulation has.
///
/// It does what ``Outbox`` does, but for the waiting: what it gives is to be sent, and
/// what comes back is to be told.
package struct SteppedOutbox: Sendable {
  private let core: StoreCore

  /// The outbox of a store.
  package init(_ store: Store) {
    core = store.core
    core.monitor.withLock { core.outboxActions = core.outboxActions ?? [] }
  }

  private var now: UInt64 { core.options.clock.milliseconds }
}

extension SteppedOutbox {
  /// The operations that are to be sent, in the order in which they were made.
  package var pending: [OutboxOperation] { core.monitor.withLock { core.outbox.pending } }

  /// The operations that failed for good, in the order in which they were made.
  package var deadLetters: [OutboxOperation] { core.monitor.withLock { core.outbox.deadLetters } }

  /// How many operations are to be sent, or failed for good.
  package var count: Int {
    core.monitor.withLock { core.outbox.pendingCount + core.outbox.deadLetterCount }
  }

  /// Whether an operation is to be sent, or failed for good.
  package func holds(_ id: OperationID) -> Bool {
    core.monitor.withLock { core.outbox.operations(of: id.record).contains { $0.id == id } }
  }

  /// Whether the server has done what a commit asked for.
  package func isDelivered(_ receipt: Receipt) -> Bool {
    core.delivery(of: receipt, to: .server) == .delivered
  }

  /// What is to be sent now, which is durable; `nil` if nothing is.
  package func nextBatch() throws(StoreError) -> OutboxBatch? {
    guard let (batch, commit) = try core.nextBatch(at: now) else { return nil }
    // What a crash could take back is not to be told to anybody.
    try core.waitUntilDurable(commit)
    return batch
  }

  /// Takes in what the server answered to a batch.
  package func received(_ answers: [OperationAnswer], for batch: OutboxBatch) throws {
    _ = try core.received(answers, for: batch, at: now)
  }

  /// Takes in that a batch could not be sent.
  package func failed(_ batch: OutboxBatch, _ error: RemoteError) throws(StoreError) {
    _ = try core.failed(batch, error, at: now)
  }

  /// What has followed from anything since this was last asked.
  package func takeActions() -> [OutboxAction] {
    core.monitor.withLock {
      let actions = core.outboxActions ?? []
      core.outboxActions = []
      return actions
    }
  }

  /// Begins to ask for a page: from where the last one ended that is kept, or from a
  /// cursor.
  package func beginPage(
    of collection: String, after cursor: [UInt8]? = nil
  ) -> (request: PullRequest, number: Int) {
    let cursor = cursor ?? core.cursor(of: collection)
    return (PullRequest(collection: collection, cursor: cursor), core.beginPage())
  }

  /// Forgets a page that doesn't come.
  package func endPage(_ number: Int) { core.endPage(number) }

  /// Takes in a page; says whether none of its records was left out.
  package func takeIn(
    _ page: PullPage, _ number: Int, of collection: String, isGapless: Bool
  ) throws -> Bool {
    try core.takeIn(page, number, of: collection, isGapless: isGapless, at: now).isWhole
  }

  /// Sends all that waits without waiting further, and dead letters again: blindly, as they
  /// were made but based on what the server has, for tests that show what becomes of that.
  package func retryEverything(isBlind: Bool = false) throws(StoreError) {
    try core.monitor.withLock { () throws(StoreError) in
      try core.checkWritable()
      for letter in core.outbox.deadLetters {
        guard isBlind else {
          core.retry(letter.id)
          continue
        }
        var blind = letter
        blind.baseVersion = core.serverVersions[letter.record]?.version
        core.keep(core.outbox.retry(letter.id, as: blind))
      }
      core.outbox.credentialsRenewed()
      core.outbox.retryWaiting()
    }
  }

  /// Changes the document without telling the server, for tests that show what becomes of that.
  package func editUnqueued(
    _ durability: Durability, _ body: (inout Document.Editor) -> Void
  ) throws(StoreError) {
    if let commit = try core.edit(durability, isUpkeep: true, body).commit {
      try core.waitUntilDurable(commit)
    }
  }

  /// Takes in what another app of the same server has, counters among the rest, for tests that
  /// show what becomes of that.
  package func takeIn(countsOf document: Document) throws(StoreError) {
    let version = core.monitor.withLock { core.working.version }
    let answer = try core.apply(
      document.delta(since: version), isOfKnownDocument: true, countingTwice: true)
    try core.waitUntilDurable(answer.commit)
  }

  /// Sends all that waits without waiting further.
  package func retryWaiting() { core.monitor.withLock { core.outbox.retryWaiting() } }
}
