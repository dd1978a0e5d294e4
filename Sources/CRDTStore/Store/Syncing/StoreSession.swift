public import CRDTKit

extension Store {
  /// Keeps a store in sync with one peer over any stream of bytes.
  ///
  /// It runs a `PeerSession` on the store's document. Changes from the peer are durable
  /// before they are acknowledged, and nothing is sent that a crash could take back.
  ///
  ///     let session = store.session()
  ///     try send(await session.connect())
  ///     for try await bytes in link.incoming {
  ///       try send(await session.receive(bytes))
  ///     }
  ///
  /// Call its methods one after another, and send the returned bytes in that order: bytes out
  /// of order look like damage. Call ``flush()`` after commits. Or let
  /// ``run(receiving:sending:)`` do all of this.
  public final class Session: Sendable {
    /// The store that the session syncs.
    public let store: Store
    let exchange: Exchange
    let limits: SyncLimits

    init(_ store: Store, limits: SyncLimits) {
      self.store = store
      self.limits = limits
      exchange = Exchange(core: store.core, limits: limits)
    }

    /// An action for you to perform, in the order in which the session returns them.
    public enum Action: Sendable {
      /// Write these bytes to the stream.
      case send([UInt8])
      /// Close the stream: nothing more will come of it.
      case close(SyncFailure)
    }
  }
}

extension Store {
  /// Creates a session with one peer, not yet connected to a stream.
  public func session(limits: SyncLimits = .standard) -> Store.Session {
    Store.Session(self, limits: limits)
  }
}

extension Store.Session {
  /// The peer's replica, once the peer has sent it.
  public var peerReplica: ReplicaID? { exchange.peerReplica }

  /// Whether both sides are known to hold the same, as of now.
  public var isSynchronized: Bool { exchange.isSynchronized }

  /// Starts on a new stream of bytes, and greets the peer.
  public nonisolated(nonsending) func connect() async throws(StoreError) -> [Action] {
    try await perform(try exchange.connect())
  }

  /// Starts on a new stream of bytes, and waits in place.
  public func connect() throws(StoreError) -> [Action] {
    try exchange.finish(try exchange.connect())
  }

  /// Receives bytes from the peer, split at any position.
  ///
  /// - Throws: ``StoreError`` if the store can't commit. Then send nothing more, and close
  ///   the stream.
  public nonisolated(nonsending) func receive(
    _ bytes: [UInt8]
  ) async throws(StoreError) -> [Action] {
    try await perform(try exchange.receive(bytes))
  }

  /// Receives bytes from the peer, and waits in place.
  public func receive(_ bytes: [UInt8]) throws(StoreError) -> [Action] {
    try exchange.finish(try exchange.receive(bytes))
  }

  /// Sends the changes that the peer is not known to have.
  public nonisolated(nonsending) func flush() async throws(StoreError) -> [Action] {
    try await perform(try exchange.flush(history: nil))
  }

  /// Sends the changes that the peer is not known to have, and waits in place.
  public func flush() throws(StoreError) -> [Action] {
    try exchange.finish(try exchange.flush(history: nil))
  }

  /// Notes that the stream broke or was closed.
  public func disconnect() {
    exchange.disconnect()
  }

  /// Waits until everything that a step sends is durable, and reads the old segments that
  /// it needs.
  private nonisolated(nonsending) func perform(
    _ step: Exchange.Step
  ) async throws(StoreError) -> [Action] {
    try store.core.checkOpen()
    var step = step
    if let version = step.historyNeeded {
      let core = store.core
      let history = try await StoreThread.run { () throws(StoreError) in
        try core.removalHistory(since: version)
      }
      let more = try exchange.flush(history: history)
      step.actions += more.actions
      step.commit = more.commit
    }
    if let commit = step.commit { try await store.core.untilDurable(commit) }
    return step.actions
  }
}

extension Store.Session {
  /// Keeps the store in sync over a stream, until the stream ends.
  ///
  /// It greets the peer, receives its changes, and sends what is committed here or received
  /// by other sessions.
  ///
  ///     try await store.session().run(receiving: link.incoming) { bytes in
  ///       try await link.send(bytes)
  ///     }
  ///
  /// It returns when the incoming bytes end, when the store is closed, and when the task is
  /// cancelled. If bytes arrive faster than they can be answered, because `send` waits, it
  /// reads no more than a peer may have under way by the session's limits.
  ///
  /// - Parameters:
  ///   - incoming: The bytes from the peer, split at any position.
  ///   - send: Sends bytes to the peer. It is never called twice at the same time.
  /// - Throws: `SyncFailure` if the session closed the stream, or if the stream ended before
  ///   the peer had greeted; ``StoreError`` if the store can't commit; the errors of the
  ///   stream and of `send`.
  public func run<Incoming: AsyncSequence & Sendable>(
    receiving incoming: Incoming, sending send: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async throws where Incoming.Element == [UInt8] {
    // Bytes and commits go through one queue of events, so that the bytes for one event are
    // sent before those for the next.
    let (events, line) = AsyncThrowingStream.makeStream(of: Event.self)
    let (taken, take) = AsyncStream.makeStream(of: Int.self)
    // Bytes that arrive faster than they are processed are processed together: each step
    // costs O(number of replicas), however little it brings.
    let arrived = Locked<[UInt8]>([])
    let isFlushDue = Locked(false)
    let changes = store.core.changes.subscribe()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { disconnect() }
      group.addTask { [heldBytesMax] in
        var held = 0
        var taken = taken.makeAsyncIterator()
        do {
          for try await bytes in incoming where !bytes.isEmpty {
            let isNew = arrived.withLock { arrived in
              defer { arrived += bytes }
              return arrived.isEmpty
            }
            if isNew { line.yield(.received) }
            held += bytes.count
            while held > heldBytesMax, let size = await taken.next() { held -= size }
          }
          line.yield(.ended)
          line.finish()
        } catch {
          line.finish(throwing: error)
        }
      }
      group.addTask {
        while await changes.next() != nil {
          let isNew = isFlushDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
          }
          if isNew { line.yield(.committed) }
        }
        line.finish()
      }
      try await self.send(try await connect(), by: send)
      for try await event in events {
        switch event {
        case .received:
          let bytes = arrived.withLock { arrived in
            defer { arrived = [] }
            return arrived
          }
          try await self.send(try await receive(bytes), by: send)
          take.yield(bytes.count)
        case .committed:
          isFlushDue.withLock { $0 = false }
          try await self.send(try await flush(), by: send)
        case .ended:
          // For example, a command that could not be started says nothing.
          if exchange.peerReplica == nil, !Task.isCancelled { throw SyncFailure.notAPeer }
        }
      }
      group.cancelAll()
    }
  }

  /// Keeps the store in sync over a link, until the peer or the task ends it.
  ///
  ///     try await store.session().run(over: link)
  ///
  /// It closes the link when it returns or throws. Otherwise it works like
  /// ``run(receiving:sending:)``.
  ///
  /// - Throws: As ``run(receiving:sending:)``; ``PeerLinkError`` if the link fails.
  public func run(over link: some PeerLink) async throws {
    defer { link.close() }
    try await run(receiving: link.incoming) { try await link.send($0) }
  }

  /// The maximum number of received bytes that wait to be processed.
  ///
  /// It is more than a peer sends that keeps to the limits and waits for answers. So two
  /// peers that both send don't block each other.
  private var heldBytesMax: Int { 4 * limits.windowBytes + 64 * limits.maximumReplicas }

  private enum Event: Sendable {
    case received
    case committed
    /// The stream has ended.
    case ended
  }

  private func send(
    _ actions: [Action], by send: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    for action in actions {
      switch action {
      case .send(let bytes): try await send(bytes)
      case .close(let failure): throw failure
      }
    }
  }
}
