import CRDTKit

/// The part that sessions with and without `await` share: a peer session on copies of the
/// store's document.
///
/// A step works on a copy, so it doesn't block readers and writers. Then it commits what
/// the peer sent. It returns the commit that must be durable before its bytes may be sent:
/// the last one in the copy.
final class Exchange: @unchecked Sendable {
  let core: StoreCore
  private let monitor = Monitor()
  // All of these are guarded by the monitor.
  private var session: PeerSession<Document>
  /// Whether there is a stream, including one that has failed.
  private var hasStream = false
  /// Whether the store knows which document the peer on this stream has a copy of.
  private var hasMet = false
  /// The replica that this side named when it greeted the peer on this stream.
  private var greetedAs: ReplicaID?
  /// Whether the peer on this stream has brought anything new.
  private var hasLearned = false
  /// The last note about the peer on this stream, and the commit of that note.
  private var noted: (peer: PeerRecord, commit: UInt64)?

  /// The result of one step.
  struct Step {
    var actions: [Store.Session.Action] = []
    /// The commit that must be durable before anything is sent.
    var commit: UInt64?
    /// The version from which to read old segments, if they make a delta shorter.
    var historyNeeded: VersionVector?
  }

  init(core: StoreCore, limits: SyncLimits) {
    self.core = core
    session = PeerSession(replica: core.monitor.withLock { core.identity.replica }, limits: limits)
    session.namesWholeBases = false
  }

  var peerReplica: ReplicaID? { monitor.withLock { session.peerReplica } }

  var isSynchronized: Bool {
    let document = core.document
    return monitor.withLock { session.isSynchronized(document) }
  }

  func connect() throws(StoreError) -> Step {
    try monitor.withLock { () throws(StoreError) in
      let (document, replica, commit) = try core.monitor.withLock { () throws(StoreError) in
        try core.checkCountsOnce()
        session.document = core.ownDocument
        return (core.working.document, core.identity.replica, core.appended)
      }
      session.replica = replica
      greetedAs = replica
      hasLearned = false
      hasStream = true
      hasMet = false
      noted = nil
      return try step(session.connect(document), commit: commit)
    }
  }

  func receive(_ bytes: [UInt8]) throws(StoreError) -> Step {
    // The peer may have connected first.
    let greeting = monitor.withLock { hasStream } ? [] : try connect().actions
    return try monitor.withLock { () throws(StoreError) in
      var document = core.monitor.withLock {
        // Another exchange may have found that another place uses the same replica.
        session.replica = core.identity.replica
        return core.working.document
      }
      let copy = document
      var missing: VersionVector?
      var actions = session.receive(
        bytes, into: &document,
        accepting: { delta in
          guard let latest = delta.latestTimestamp else { return }
          try core.checkClock(latest)
        },
        deltaSince: { self.delta(of: $0, since: $1, history: nil, &missing) })
      // This comes before anything received is applied: with another document, nothing is.
      if let failure = meetPeer() { actions = session.end(for: failure) }
      var result = try step(actions, madeOn: copy)
      result.actions = greeting + result.actions
      result.commit = core.monitor.withLock { core.appended }
      result.historyNeeded = missing
      notePeer(isRecorded: false)
      return result
    }
  }

  func flush(history: RemovalHistory?) throws(StoreError) -> Step {
    try monitor.withLock { () throws(StoreError) in
      let (document, commit) = core.monitor.withLock {
        session.replica = core.identity.replica
        return (core.working.document, core.appended)
      }
      var missing: VersionVector?
      let actions = session.flush(document) {
        self.delta(of: $0, since: $1, history: history, &missing)
      }
      var result = try step(actions, commit: commit)
      // With a history there is no second try. The exact fallback replaces it.
      if history == nil { result.historyNeeded = missing }
      return result
    }
  }

  func disconnect() {
    monitor.withLock {
      notePeer(isRecorded: true)
      session.disconnect()
      hasStream = false
    }
  }

  /// Waits until everything that a step sends is durable, and reads the old segments that
  /// it needs; returns the actions to perform.
  func finish(_ step: Step) throws(StoreError) -> [Store.Session.Action] {
    try core.checkOpen()
    var step = step
    if let version = step.historyNeeded {
      let more = try flush(history: try core.removalHistory(since: version))
      step.actions += more.actions
      step.commit = more.commit
    }
    if let commit = step.commit { try core.waitUntilDurable(commit) }
    return step.actions
  }

  /// Determines the store's document, once the peer has named its own; returns the reason
  /// why the two can't sync, if there is one.
  private func meetPeer() -> SyncFailure? {
    guard !hasMet, let peer = session.peerDocument else { return nil }
    hasMet = true
    do throws(SyncFailure) { try core.meet(peer, greetedAs: session.document) } catch {
      return error
    }
    return nil
  }

  /// The delta for a peer; `nil` if old segments can help and are not read yet.
  private func delta(
    of document: Document, since version: VersionVector, history: RemovalHistory?,
    _ missing: inout VersionVector?
  ) -> TableDelta<Document>? {
    if document.isLogWhole(since: version) { return document.delta(since: version) }
    if let history { return document.delta(since: version, using: history) }
    guard core.hasHistory(since: version) else { return document.delta(since: version) }
    missing = version
    return nil
  }

  /// Performs a session's actions, and returns those that are left for its owner.
  ///
  /// What was learned is committed at once, before anything is sent.
  private func step(
    _ actions: [PeerSession<Document>.Action], madeOn copy: Document? = nil,
    commit: UInt64? = nil
  ) throws(StoreError) -> Step {
    var step = Step(commit: commit)
    var learned: [TableDelta<Document>] = []
    for action in actions {
      switch action {
      case .send(let bytes):
        step.actions.append(.send(bytes))
      case .learned(let delta):
        hasLearned = true
        learned.append(delta)
      case .takeNewReplica:
        try take(&learned, madeOn: copy)
        session.replica = try core.monitor.withLock { () throws(StoreError) in
          try core.checkWritable()
          core.takeNewReplica()
          return core.identity.replica
        }
      case .close(let failure):
        step.actions.append(.close(failure))
      }
    }
    try take(&learned, madeOn: copy)
    return step
  }

  /// Commits what the peer sent.
  private func take(
    _ learned: inout [TableDelta<Document>], madeOn copy: Document?
  ) throws(StoreError) {
    guard !learned.isEmpty else { return }
    do throws(StoreError) {
      try core.apply(
        learned, madeOn: copy, isOfKnownDocument: session.peerDocument != .some(nil))
    } catch {
      session.disconnect()
      throw error
    }
    learned = []
  }

  /// Notes what the peer has, unless it greeted as this store itself and has brought nothing
  /// new.
  ///
  /// That may be a copy of the store, which writes as another replica from now on, or an
  /// echo: a stream that leads back here, where nobody has anything.
  private func notePeer(isRecorded: Bool) {
    guard let replica = session.peerReplica, hasLearned || replica != greetedAs else { return }
    let peer = PeerRecord(
      replica: replica, version: session.peerVersion,
      lastContactMilliseconds: core.options.clock.milliseconds)
    // Bytes may come one at a time, and a version may name many replicas.
    let commit = core.monitor.withLock { core.appended }
    if let noted, !isRecorded, noted.commit == commit, noted.peer.replica == replica,
      noted.peer.version == peer.version,
      peer.lastContactMilliseconds < noted.peer.lastContactMilliseconds &+ 1_000
    {
      return
    }
    noted = (peer, commit)
    core.note(peer, isRecorded: isRecorded)
  }
}
