extension PeerSession {
  /// Returns a delta of a value for a peer that has a version; `nil` if there is none at
  /// the moment.
  ///
  /// The version must contain the delta's base, and the delta must have an event that the
  /// version lacks. It need not have all of them: the next transfer asks for the rest.
  @usableFromInline
  package typealias DeltaSource = (_ value: Value, _ version: VersionVector) -> Value.Delta?

  /// Receives bytes from the peer, and sends deltas that a source makes.
  ///
  /// This is ``receive(_:into:accepting:)`` for a store that keeps older deltas in files,
  /// and can serve a peer that was away for long better than the value can. If the source
  /// returns `nil`, nothing is sent and the transfer stays pending: load the data, then
  /// call ``flush(_:deltaSince:)``. Until then the source is asked again at each receive.
  ///
  /// - Complexity: As ``receive(_:into:accepting:)``, plus the cost of the source.
  @inlinable
  package mutating func receive(
    _ bytes: [UInt8], into value: inout Value,
    accepting: (Value.Delta) throws -> Void, deltaSince: DeltaSource
  ) -> [Action] {
    guard link.isConnected else { return [] }
    var actions: [Action] = []
    var rest = bytes[...]
    noteForks(of: value, &actions)
    do throws(SyncFailure) {
      while let event = try link.next(from: &rest) {
        try handle(event, with: &value, accepting: accepting, &actions)
        if knownForks != value._table.forks { tellOfMending(value, &actions) }
        // A peer that compares the whole contents needs them as they were then.
        if case .learnedHeads(let heads, isHello: false) = event, heads.heads.isEmpty,
          !link.isPulled
        {
          pump(contentsCompared ?? value, deltaSince: deltaSince, &actions)
        }
      }
      try askForPassedOver(value, &actions)
      if link.isPulled ? link.isHeldBack : isPaced {
        continueTransfer(&actions)
      } else {
        pump(value, deltaSince: deltaSince, &actions)
      }
      if !isPaced { try tellDigest(of: value, &actions) }
    } catch {
      if let goodbye = link.goodbye(error) { actions.append(.send(goodbye)) }
      link.disconnect()
      actions.append(.close(error))
    }
    return actions
  }

  /// The document of which this side has a copy, for the next greeting.
  package var document: DocumentIdentity? {
    get { link.document }
    set { link.document = newValue }
  }

  /// The document that the peer has named; `nil` if it has sent no hello on this stream,
  /// and `.some(nil)` if it knows none.
  package var peerDocument: DocumentIdentity?? { link.peerDocument }

  /// Ends the exchange for a reason outside of the received data.
  @inlinable
  package mutating func end(for failure: SyncFailure) -> [Action] {
    var actions: [Action] = []
    if link.isConnected, let goodbye = link.goodbye(failure) { actions.append(.send(goodbye)) }
    link.disconnect()
    actions.append(.close(failure))
    return actions
  }

  /// Sends the events that the peer is not known to have, in deltas that a source makes.
  ///
  /// This is ``flush(_:)`` otherwise. If the source returns `nil`, nothing is sent and
  /// the transfer stays pending.
  ///
  /// - Complexity: O(number of replicas), plus the cost of the source.
  @inlinable
  package mutating func flush(_ value: Value, deltaSince: DeltaSource) -> [Action] {
    var actions: [Action] = []
    noteForks(of: value, &actions)
    link.isTransferDue = true
    link.beginTurn()
    pump(value, deltaSince: deltaSince, &actions)
    return actions + compareContents(of: value)
  }

  /// Sends the digest of the contents to the peer, and compares it with the peer's.
  @inlinable
  mutating func compareContents(of value: Value) -> [Action] {
    var actions: [Action] = []
    do throws(SyncFailure) {
      try tellDigest(of: value, &actions)
    } catch {
      actions += end(for: error)
    }
    return actions
  }

  /// Acknowledges received data, and sends the events that the peer has requested.
  @inlinable
  mutating func acknowledge(_ value: Value, deltaSince: DeltaSource) -> [Action] {
    var actions: [Action] = []
    noteForks(of: value, &actions)
    link.beginTurn()
    if link.isPulled {
      pump(value, deltaSince: deltaSince, &actions)
    } else {
      continueTransfer(&actions)
      if let frame = link.nextTakenFrame() { actions.append(.send(frame)) }
    }
    return actions
  }
}
