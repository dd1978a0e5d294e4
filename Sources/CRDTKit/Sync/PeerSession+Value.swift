extension PeerSession {
  @inlinable
  mutating func handle(
    _ event: PeerLink.Event, with value: inout Value,
    accepting: (Value.Delta) throws -> Void, _ actions: inout [Action]
  ) throws(SyncFailure) {
    switch event {
    case .send(let bytes):
      actions.append(.send(bytes))
    case .learnedHeads(let heads, let isHello):
      // Unless the first transfer of the last stream goes on, nothing was told yet.
      if isHello, !link.isSending { told = nil }
      if let replica = value.table.fork(from: heads) { throw .fork(replica) }
      checkReplica(link.peerVersion, value, &actions)
    case .received(let bytes):
      try takeIn(bytes, into: &value, accepting: accepting, &actions)
    }
  }

  /// Asks for a new replica where this one's events are known that were lost here.
  @inlinable
  mutating func checkReplica(
    _ version: VersionVector, _ value: Value, _ actions: inout [Action]
  ) {
    guard !hasAskedForReplica, version[replica] > value.table.seen(of: replica) else { return }
    hasAskedForReplica = true
    actions.append(.takeNewReplica)
  }

  @inlinable
  mutating func takeIn(
    _ bytes: [UInt8], into value: inout Value,
    accepting: (Value.Delta) throws -> Void, _ actions: inout [Action]
  ) throws(SyncFailure) {
    let delta = try decodeTransfer(bytes)
    let news = delta.version
    if let missing = try missing(of: delta, in: value) {
      let frames = try link.askAgain(missing: missing, heads: value.table.heads)
      actions += frames.map { .send($0) }
      return
    }
    let version = value.version
    if !version.contains(news) {
      let count = version.merging(news).count
      guard count <= link.replicasMax else {
        throw .tooManyReplicas(count, max: link.replicasMax)
      }
      do { try accepting(delta) } catch { throw .refused("\(error)") }
      checkReplica(news, value, &actions)
      try apply(delta, to: &value)
      actions.append(.learned(delta))
    }
    actions.append(.send(link.acknowledge(base: delta.base, news: news)))
  }

  /// What must have been seen before the delta can be taken in; `nil` if all was.
  @inlinable
  func missing(of delta: Value.Delta, in value: Value) throws(SyncFailure) -> VersionVector? {
    do throws(DeltaError) {
      try value.check(delta)
      return nil
    } catch {
      if case .gap(let missing) = error { return missing }
      throw SyncFailure(error)
    }
  }

  @inlinable
  func apply(_ delta: Value.Delta, to value: inout Value) throws(SyncFailure) {
    do throws(DeltaError) {
      try value.apply(delta)
    } catch {
      throw SyncFailure(error)
    }
  }

  /// Begins a transfer of what the peer lacks, if none is under way, and sends as
  /// much of it as the window lets.
  @inlinable
  mutating func pump(_ value: Value, deltaSince: DeltaSource, _ actions: inout [Action]) {
    if link.mayBegin { begin(value, deltaSince: deltaSince) }
    while let frame = link.nextTransferFrame() { actions.append(.send(frame)) }
  }

  /// Begins a transfer of what the peer lacks; where the source has nothing of it
  /// now, the transfer stays due.
  @inlinable
  mutating func begin(_ value: Value, deltaSince: DeltaSource) {
    let version = link.peerVersion
    if version.contains(value.version) {
      link.isTransferDue = false
      return
    }
    guard let delta = deltaSince(value, version) else { return }
    let news = delta.version
    // An empty transfer would be acknowledged and followed by the next one for ever.
    if version.contains(news) { return }
    link.isTransferDue = false
    let isFirst = told == nil
    link.offer(encodeTransfer(delta), base: delta.base, news: news, standsAlone: isFirst)
  }

  /// The bytes of a transfer: names that an earlier one on this stream has told
  /// are not repeated.
  @inlinable
  mutating func encodeTransfer(_ delta: Value.Delta) -> [UInt8] {
    delta.encoded(remembering: &told)
  }

  /// The delta that a transfer brings.
  @inlinable
  mutating func decodeTransfer(_ bytes: [UInt8]) throws(SyncFailure) -> Value.Delta {
    do {
      return try Value.Delta(decoding: bytes, remembering: &heard)
    } catch {
      throw .malformed(error)
    }
  }
}

extension DotTable {
  /// The version, with the fingerprint of each replica's events.
  @inlinable
  var heads: ColumnHeads {
    ColumnHeads(ContiguousArray(columns.map { $0.head(after: 0) }))
  }

  /// A replica under whose name the other side has seen other events, as far as
  /// the fingerprints tell.
  @inlinable
  func fork(from heads: ColumnHeads) -> ReplicaID? {
    heads.heads.first { head in
      column(of: head.replica).map { columns[$0].contradicts(head) } ?? false
    }?.replica
  }
}
