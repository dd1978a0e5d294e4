package import CRDTKit

/// A store's outbox that you run step by step, with your own clock and network, as in a
/// simulation.
///
/// It does what ``Outbox`` does, but never waits: you send the batches it returns, and pass
/// in the answers.
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
  /// The pending operations, in the order of their creation.
  package var pending: [Outbox.Operation] { core.monitor.withLock { core.outbox.pending } }

  /// The dead letters, in the order of their creation.
  package var deadLetters: [Outbox.Operation] { core.monitor.withLock { core.outbox.deadLetters } }

  /// The number of pending operations and dead letters.
  package var count: Int {
    core.monitor.withLock { core.outbox.pendingCount + core.outbox.deadLetterCount }
  }

  /// Whether an operation is pending or a dead letter.
  package func holds(_ id: Outbox.OperationID) -> Bool {
    core.monitor.withLock { core.outbox.operations(of: id.record).contains { $0.id == id } }
  }

  /// Whether the server has applied the operations of a commit.
  package func isDelivered(_ receipt: Store.Receipt) -> Bool {
    core.delivery(of: receipt, to: .server) == .delivered
  }

  /// The batch to send now, which is durable; `nil` if there is none.
  package func nextBatch() throws(StoreError) -> OutboxBatch? {
    guard let (batch, commit) = try core.nextBatch(at: now) else { return nil }
    // Nobody may receive changes that a crash could revert.
    try core.waitUntilDurable(commit)
    return batch
  }

  /// Processes the server's answers to a batch.
  package func received(_ answers: [Outbox.Answer], for batch: OutboxBatch) throws {
    _ = try core.received(answers, for: batch, at: now)
  }

  /// Processes the failure of a batch.
  package func failed(_ batch: OutboxBatch, _ error: RemoteError) throws(StoreError) {
    _ = try core.failed(batch, error, at: now)
  }

  /// The actions since the previous call.
  package func takeActions() -> [OutboxAction] {
    core.monitor.withLock {
      let actions = core.outboxActions ?? []
      core.outboxActions = []
      return actions
    }
  }

  /// Begins the request of a page: from the stored cursor, or from the given one.
  package func beginPage(
    of collection: String, after cursor: [UInt8]? = nil
  ) -> (request: Outbox.PullRequest, number: Int) {
    let cursor = cursor ?? core.cursor(of: collection)
    let request = Outbox.PullRequest(collection: collection, cursor: cursor)
    return (request, core.beginPage(after: cursor))
  }

  /// Removes a page that is not going to arrive.
  package func endPage(_ number: Int) { core.endPage(number) }

  /// Applies a page.
  package func takeIn(
    _ page: Outbox.PullPage, _ number: Int, of collection: String
  ) throws {
    _ = try core.takeIn(page, number, of: collection, at: now)
  }

  /// Sends all waiting operations without further delay, and dead letters again.
  ///
  /// If `isBlind`, dead letters keep all their changes but are based on the server's
  /// version, for tests that show the consequences.
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

  /// Changes the document without queueing an operation, for tests that show the
  /// consequences.
  package func editUnqueued(
    _ durability: Store.Durability, _ body: (inout Document.Editor) -> Void
  ) throws(StoreError) {
    if let commit = try core.edit(durability, isUpkeep: true, body).commit {
      try core.waitUntilDurable(commit)
    }
  }

  /// Merges the document of another app of the same server, including counters, for tests
  /// that show the consequences.
  package func takeIn(countsOf document: Document) throws(StoreError) {
    let answer = try core.monitor.withLock { () throws(StoreError) in
      try core.checkWritable()
      let delta = document.delta(since: core.working.document.version)
      return try core.applyLocked([delta], isOfKnownDocument: true)
    }
    try core.waitUntilDurable(answer.commit)
  }

  /// Sends all waiting operations without further delay.
  package func retryWaiting() { core.monitor.withLock { core.outbox.retryWaiting() } }
}
