import CRDTKit

/// What sessions with and without `await` have in common: the peer session, run on
/// copies of the store's document.
///
/// A step works on a copy, so that readers and writers are not held up by it, and
/// then commits what the peer taught. It says for which commit to wait before its
/// bytes may be sent: all that the copy had.
final class Exchange: @unchecked Sendable {
  let core: StoreCore
  private let monitor = Monitor()
  // Both are guarded by the monitor.
  private var session: PeerSession<Document>
  /// Whether there is a stream, be it one that has failed.
  private var hasStream = false
  /// Whether the store knows of which document the peer on this stream has a copy.
  private var hasMet = false
  /// What was noted last of the peer on this stream, and with which commit.
  private var noted: (peer: PeerRecord, commit: UInt64)?

  /// What one step did.
  struct Step {
    var actions: [StoreSession.Action] = []
    /// The commit that must be durable before anything is sent.
    var commit: UInt64?
    /// The version from which old segments are to be read, for a delta that is
    /// shorter with them.
    var historyNeeded: VersionVector?
  }

  init(core: StoreCore, limits: SyncLimits) {
    self.core = core
    session = PeerSession(replica: core.monitor.withLock { core.identity.replica }, limits: limits)
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
        return (core.working, core.identity.replica, core.appended)
      }
      session.replica = replica
      hasStream = true
      hasMet = false
      noted = nil
      return try step(session.connect(document), commit: commit)
    }
  }

  func receive(_ bytes: [UInt8]) throws(StoreError) -> Step {
    // The peer may have been quicker.
    let greeting = monitor.withLock { hasStream } ? [] : try connect().actions
    return try monitor.withLock { () throws(StoreError) in
      var document = core.monitor.withLock {
        // Another exchange may have found out that the name is used elsewhere.
        session.replica = core.identity.replica
        return core.working
      }
      var missing: VersionVector?
      var actions = session.receive(
        bytes, into: &document,
        accepting: { delta in
          guard let latest = delta.latestTimestamp else { return }
          try core.checkClock(latest)
        },
        deltaSince: { self.delta(of: $0, since: $1, history: nil, &missing) })
      // Before what came is taken in: with another document nothing is.
      if let failure = meetPeer() { actions = session.end(for: failure) }
      var result = try step(actions)
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
        return (core.working, core.appended)
      }
      var missing: VersionVector?
      let actions = session.flush(document) {
        self.delta(of: $0, since: $1, history: history, &missing)
      }
      var result = try step(actions, commit: commit)
      // With a history there is no second try: the exact fallback serves.
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

  /// Waits until what a step sends is durable, and reads what it needs from old
  /// segments; gives what is to be done.
  func finish(_ step: Step) throws(StoreError) -> [StoreSession.Action] {
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

  /// Settles of which document the store is, once the peer has said of which it is; gives
  /// why the two have nothing to do with each other, if so.
  private func meetPeer() -> SyncFailure? {
    guard !hasMet, let peer = session.peerDocument else { return nil }
    hasMet = true
    do throws(SyncFailure) { try core.meet(peer, greetedAs: session.document) } catch {
      return error
    }
    return nil
  }

  /// The delta for a peer; `nil` where old segments can help and are not yet read.
  private func delta(
    of document: Document, since version: VersionVector, history: RemovalHistory?,
    _ missing: inout VersionVector?
  ) -> TableDelta<Document>? {
    if document.isLogWhole(since: version) { return document.delta(since: version) }
    if let history {
      // Where more was removed than there is, a list of what there is is shorter.
      let isWorthIt = history.count <= document.table.rowCount
      let delta = isWorthIt ? document.delta(since: version, history: history) : nil
      return delta ?? document.delta(since: version)
    }
    guard core.hasHistory(since: version) else { return document.delta(since: version) }
    missing = version
    return nil
  }

  /// Does what a session asks for, and gives what is left for its owner to do.
  private func step(
    _ actions: [PeerSession<Document>.Action], commit: UInt64? = nil
  ) throws(StoreError) -> Step {
    var step = Step(commit: commit)
    for action in actions { try take(action, &step) }
    return step
  }

  private func take(
    _ action: PeerSession<Document>.Action, _ step: inout Step
  ) throws(StoreError) {
    switch action {
    case .send(let bytes):
      step.actions.append(.send(bytes))
    case .learned(let delta):
      do throws(StoreError) {
        _ = try core.apply(delta, isOfKnownDocument: session.peerDocument != .some(nil))
      } catch {
        session.disconnect()
        throw error
      }
    case .takeNewReplica:
      session.replica = try core.monitor.withLock { () throws(StoreError) in
        try core.checkWritable()
        core.takeNewReplica()
        return core.identity.replica
      }
    case .close(let failure):
      step.actions.append(.close(failure))
    }
  }

  private func notePeer(isRecorded: Bool) {
    guard let replica = session.peerReplica else { return }
    let peer = PeerRecord(
      replica: replica, version: session.peerVersion,
      lastContactMilliseconds: core.options.clock.milliseconds)
    // Bytes may come one by one, and a version name many.
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
