import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// An app of a ``World``: a real store on a disk in memory, with its real outbox and a
/// server.
///
/// The store has no threads of its own: what they would do, the app does when virtual
/// time says so.
struct OutboxApp: StoreKeeper {
  typealias Context = WorldContext<OutboxMessage>
  typealias Call = OutboxMessage.Call

  /// A call of the server in progress.
  private struct Sending<Subject> {
    var call: Call
    var subject: Subject
    /// The tick at which it was sent.
    var since: Int
  }

  /// A requested page.
  private struct Asking {
    var number: Int
    var cursor: [UInt8]?
  }

  let place: Int
  let replica: ReplicaID
  var failures: [String] = []
  /// What users were told is safe, since it was last taken out.
  var log: [OutboxPromise] = []
  /// Operations that have become dead letters, since they were last taken out.
  var buried: [Outbox.OperationID] = []
  /// What lost, since it was last taken out.
  var lost: [OutboxLoss] = []
  /// Operations that are done as far as the app knows, since they were last taken out.
  var settled: [Outbox.OperationID] = []
  private(set) var tally = OutboxTally()
  /// Whether to retry dead letters.
  var isHealing = false

  var disk: WorldDisk
  var store: Store?
  var outbox: SteppedOutbox?
  /// What is known to be durable.
  var durableVersion = VersionVector()
  /// Changes that a crash may take, in their order, and how many of them were acknowledged
  /// to the user.
  var pending: [OutboxPromise] = []
  var acknowledgedCount = 0
  /// A change that has failed, and how many events there were before: it may be on the
  /// disk or not.
  var doubtful: (promise: OutboxPromise, events: UInt64)?
  /// The number of starts of the app.
  var starts = 0
  let settings: NodeSettings
  let clock = NodeClock()
  private var generator: SeededGenerator
  private var pushing: Sending<OutboxBatch>?
  private var pulling: Sending<Asking>?
  private var calls = 0
  private var ticks = 0
  private var pendingSince: UInt64 = 0
  /// For how many ticks the app waits for answers to what it pushes, and for pages: twice as
  /// long after each that didn't come, since a slow link would never bring one.
  private var pushPatience: Int
  private var pullPatience: Int

  init(place: Int, settings: NodeSettings, seed: UInt64) {
    self.place = place
    self.settings = settings
    replica = WorldNames(seed: seed).name(of: place)
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 60)
    pushPatience = settings.patience
    pullPatience = settings.patience
    disk = WorldDisk(isLying: settings.sabotage == .storeFdatasync)
    open(creating: true)
    resume()
  }

  /// Takes in what the server has, as an app that has been used before.
  mutating func begin(with server: ReferenceServer) {
    guard let outbox else { return }
    do {
      var (cursor, hasMore): ([UInt8]?, Bool) = (nil, true)
      while hasMore {
        let (request, number) = outbox.beginPage(of: OutboxNote.collection, after: cursor)
        guard let page = server.pull(request) else { break }
        try outbox.takeIn(page, number, of: OutboxNote.collection)
        (cursor, hasMore) = (page.cursor, page.hasMore)
      }
      try store?.flush()
    } catch {
      failures.append("the server's notes can't be taken in: \(error)")
    }
    settle()
  }

  /// Clears the collected results.
  mutating func forgetNews() {
    (failures, log, buried, lost, settled) = ([], [], [], [], [])
  }

  /// The contents of a note; `nil` if there is none.
  func fields(of name: String) -> [String: Document.Value]? {
    store?.document.fields(of: name, in: OutboxNote.collection)
  }

  /// The title of a note.
  func title(of name: String) -> String? {
    if case .string(let title)? = fields(of: name)?["title"] { title } else { nil }
  }

  /// Whether the server is said to have done what a commit asked for.
  func claimsDelivery(of receipt: Store.Receipt) -> Bool {
    guard let outbox else { return false }
    return settings.sabotage == .oldReceipts
      ? receipt.operations.allSatisfy { !outbox.holds($0) } : outbox.isDelivered(receipt)
  }

  /// What it has, as a digest and in words.
  var summary: (digest: String, text: String) {
    OutboxNote.summary(settings.keys) { fields(of: $0) }
  }
}

extension OutboxApp {
  mutating func edit(_ number: UInt64, _ context: inout Context) {
    clock.set(context.wallMilliseconds)
    // Drawn from the number alone, so that a shrunken schedule does the same.
    var dice = SeededGenerator(seed: number, stream: 31)
    let isRelaxed = dice.happens(settings.disks.relaxed)
    let isFailing = dice.happens(settings.disks.faults)
    if isFailing { disk.spoil(using: &dice) }
    if pending.isEmpty { pendingSince = context.now }
    guard change(number, isRelaxed && !isFailing ? .relaxed : .full, mayFail: isFailing) else {
      startAnew(&dice)
      context.dies = true
      return
    }
    if isFailing { disk.heal() }
    acknowledgedCount = pending.count
    settle()
  }

  mutating func tick(_ context: inout Context) {
    clock.set(context.wallMilliseconds)
    ticks += 1
    compactIfDue()
    flushIfDue(context.now)
    do {
      if isHealing { try outbox?.retryEverything(isBlind: settings.sabotage == .blindRetries) }
      noteActions()
    } catch {
      failures.append("what waits can't be sent again: \(error)")
    }
    push(&context)
    if !context.dies { pull(&context) }
  }

  mutating func connect() { outbox?.retryWaiting() }

  mutating func disconnect() {
    // It was sent, so the server may have done it.
    giveUpPush(RemoteError(.timeout, "the connection was lost"))
    giveUpPull()
  }

  private mutating func nextCall() -> Call {
    calls += 1
    return Call(start: starts, number: calls)
  }

  /// Sends pending operations, one batch at a time.
  private mutating func push(_ context: inout Context) {
    if let pushing {
      guard ticks - pushing.since > pushPatience else { return }
      pushPatience = longer(than: pushPatience)
      giveUpPush(RemoteError(.timeout))
      return
    }
    guard let outbox else { return }
    let diskCalls = disk.callCount
    do throws(StoreError) {
      guard let batch = try outbox.nextBatch() else { return }
      if dies(after: diskCalls, &context) { return }
      settle()
      let call = nextCall()
      pushing = Sending(call: call, subject: batch, since: ticks)
      tally.sent += batch.operations.count
      context.send(.push(call, batch.sentEnvelopes), to: 0, events: batch.operations.count)
    } catch {
      failures.append("nothing can be sent: \(error)")
    }
  }

  /// For how many ticks the app waits at the most for any answer.
  var patience: Int { max(pushPatience, pullPatience) }

  private func longer(than patience: Int) -> Int {
    min(2 * patience, max(settings.patience, 1_000))
  }

  private mutating func giveUpPush(_ error: RemoteError) {
    guard let batch = pushing?.subject, let outbox else { return }
    pushing = nil
    do throws(StoreError) { try outbox.failed(batch, error) } catch {
      failures.append("a failure can't be taken in: \(error)")
    }
    noteActions()
  }

  /// Pulls changes periodically.
  private mutating func pull(_ context: inout Context) {
    if let pulling {
      guard ticks - pulling.since > pullPatience else { return }
      pullPatience = longer(than: pullPatience)
      giveUpPull()
      return
    }
    if ticks % 3 == 0 || isHealing { ask(after: nil, &context) }
  }

  private mutating func ask(after cursor: [UInt8]?, _ context: inout Context) {
    guard let outbox else { return }
    let (request, number) = outbox.beginPage(of: OutboxNote.collection, after: cursor)
    let call = nextCall()
    let asking = Asking(number: number, cursor: request.cursor)
    pulling = Sending(call: call, subject: asking, since: ticks)
    context.send(.pull(call, request), to: 0)
  }

  private mutating func giveUpPull() {
    if let number = pulling?.subject.number { outbox?.endPage(number) }
    pulling = nil
  }

  mutating func receive(_ message: OutboxMessage, _ context: inout Context) {
    clock.set(context.wallMilliseconds)
    let diskCalls = disk.callCount
    do {
      switch message {
      case .answers(let call, let answers):
        guard let sending = pushing, sending.call == call, let outbox else { return }
        (pushing, pushPatience) = (nil, settings.patience)
        try outbox.received(answers, for: sending.subject)
      case .page(let call, let page):
        guard let sending = pulling, sending.call == call else { return }
        (pulling, pullPatience) = (nil, settings.patience)
        try take(page, sending.subject, &context)
      case .failure(let call, let error):
        if pushing?.call == call { giveUpPush(error) }
        if pulling?.call == call { giveUpPull() }
      case .push, .pull: return
      }
    } catch {
      failures.append("what the server says can't be taken in: \(error)")
    }
    noteActions()
    if !dies(after: diskCalls, &context) { settle() }
  }

  private mutating func take(
    _ page: Outbox.PullPage, _ asking: Asking, _ context: inout Context
  ) throws {
    guard let outbox else { return }
    try outbox.takeIn(page, asking.number, of: OutboxNote.collection)
    context.learned += page.records.count
    guard page.hasMore, page.cursor != nil, page.cursor != asking.cursor else { return }
    ask(after: page.cursor, &context)
  }

  /// Takes note of what has followed from what was done.
  private mutating func noteActions() {
    let actions = outbox?.takeActions() ?? []
    for case .deadLettered(let operation) in actions {
      buried.append(operation.id)
      tally.deadLetters += 1
    }
    for case .rebase in actions { tally.conflicts += 1 }
    for case .superseded(let operation) in actions { lose(operation) }
    for case .accepted(let operation, _) in actions {
      settled.append(operation.id)
      // What the server has before it is safe here, it is never asked for.
      for place in pending.indices { pending[place].operations.removeAll { $0 == operation.id } }
    }
  }

  private mutating func lose(_ operation: Outbox.Operation) {
    tally.superseded += 1
    let loss = OutboxLoss(operation: operation, shown: title(of: operation.record.record))
    lost.append(loss)
    // The loss of a change that is not acknowledged yet is reported with the change.
    for place in pending.indices where pending[place].operations.contains(operation.id) {
      pending[place].losses.append(loss)
    }
  }

  /// Cuts the power now and then while something is done, at a call of the disk after a
  /// number of them.
  private mutating func dies(after calls: Int, _ context: inout Context) -> Bool {
    guard settings.death > 0, generator.happens(settings.death) else { return false }
    var dice = SeededGenerator(seed: generator.next())
    disk.tally.cutsInExchanges += 1
    disk.cutPower(since: calls, using: &dice)
    context.letters = []
    restart(&dice)
    context.dies = true
    return true
  }

  /// Opens the store from the disk.
  mutating func open(creating: Bool) {
    var options = disk.options(of: place, clock: clock, settings: settings.disks)
    options.createsIfMissing = creating
    options.makeReplica = { [replica] in replica }
    options.outbox.jitter = 0
    options.outbox.minimumBackoff = .milliseconds(20)
    options.outbox.maximumBackoff = .milliseconds(200)
    options.outbox.batchSize = 1 + settings.keys % 5
    do throws(StoreError) {
      let store = try Store.open(at: "/store", for: OutboxNote.self, options: options)
      (self.store, outbox) = (store, SteppedOutbox(store))
    } catch {
      failures.append("the store doesn't open: \(error)")
    }
    starts += 1
  }

  /// Releases the store, whose process has ended.
  mutating func forgetStore() {
    (store, outbox, pushing, pulling) = (nil, nil, nil, nil)
  }

  /// Takes note of what is durable by now.
  mutating func settle() {
    guard let store, store.statistics.pendingCommits == 0 else { return }
    durableVersion = store.document.version
    disk.tally.commits += pending.count
    log += pending
    (pending, acknowledgedCount) = ([], 0)
  }

  private mutating func flushIfDue(_ now: UInt64) {
    guard let store, store.statistics.pendingCommits > 0,
      now >= pendingSince + DiskSettings.gatheringMicroseconds
    else { return }
    pendingSince = now
    do throws(StoreError) { try store.flush() } catch {
      failures.append("what is pending can't be made durable: \(error)")
    }
    settle()
  }
}
