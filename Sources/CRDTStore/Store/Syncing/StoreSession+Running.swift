import CRDTKit

extension StoreSession {
  /// Keeps the store in sync over a stream, until it ends: greets the peer, takes in
  /// what comes, and sends what is committed, here or by way of other sessions.
  ///
  ///     try await store.session().run(receiving: link.incoming) { bytes in
  ///       try await link.send(bytes)
  ///     }
  ///
  /// It returns when the incoming bytes end, when the store is closed, and when the
  /// task is cancelled. Where more comes than can be answered, as `send` waits, no more is
  /// asked for than a peer may have under way by the session's limits.
  ///
  /// - Parameters:
  ///   - incoming: What comes from the peer, cut at any place.
  ///   - send: Sends bytes to the peer. It is called one time after another.
  /// - Throws: `SyncFailure` where the session closed the stream; ``StoreError`` where
  ///   the store can't commit; what the stream and `send` throw.
  public func run<Incoming: AsyncSequence & Sendable>(
    receiving incoming: Incoming, sending send: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async throws where Incoming.Element == [UInt8] {
    // Bytes and commits become one line of events, so that what is sent for one isn't
    // overtaken by what is sent for the next.
    let (events, line) = AsyncThrowingStream.makeStream(of: Event.self)
    let (taken, take) = AsyncStream.makeStream(of: Int.self)
    let isFlushDue = Locked(false)
    let changes = store.core.changes.subscribe()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { disconnect() }
      group.addTask { [heldBytesMax] in
        var held = 0
        var taken = taken.makeAsyncIterator()
        do {
          for try await bytes in incoming {
            let event = Event.received(bytes)
            line.yield(event)
            held += event.size
            while held > heldBytesMax, let size = await taken.next() { held -= size }
          }
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
        case .received(let bytes):
          try await self.send(try await receive(bytes), by: send)
          take.yield(event.size)
        case .committed:
          isFlushDue.withLock { $0 = false }
          try await self.send(try await flush(), by: send)
        }
      }
      group.cancelAll()
    }
  }

  /// How much of what has come may wait for being taken in.
  ///
  /// It is more than what a peer sends that keeps to the limits, and waits for answers: so
  /// two peers that are both sending don't wait for each other.
  private var heldBytesMax: Int { 4 * limits.windowBytes + 64 * limits.replicasMax }

  private enum Event: Sendable {
    case received([UInt8])
    case committed

    /// How much memory it takes while it waits.
    var size: Int {
      switch self {
      case .received(let bytes): bytes.count + 64
      case .committed: 0
      }
    }
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
