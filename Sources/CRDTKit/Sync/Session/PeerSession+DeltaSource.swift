extension PeerSession {
  /// Gives a delta of a value for whoever has seen a version; `nil` where there is
  /// none at the moment.
  ///
  /// Its base has been seen with the version, and it has something that the version
  /// lacks; it need not be all of it: the next transfer asks for the rest.
  @usableFromInline
  package typealias DeltaSource = (_ value: Value, _ version: VersionVector) -> Value.Delta?

  /// Takes in bytes that came from the peer, and sends deltas of a source's making.
  ///
  /// All is as in ``receive(_:into:accepting:)``, but that a store which has older
  /// deltas in files can do better than the value where the peer was away for long.
  /// Where the source gives `nil`, nothing is sent and the transfer stays due: fetch
  /// what it takes, then call ``flush(_:deltaSince:)``. Until then the source is asked
  /// again whenever bytes have come.
  ///
  /// - Complexity: As ``receive(_:into:accepting:)``, with what the source takes.
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
        if knownForks != value.table.forks { tellOfMending(value, &actions) }
        // Who compares all that is here with what they have wants it as it was then.
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

  /// The document that this side has a copy of, as the next greeting says it.
  package var document: DocumentIdentity? {
    get { link.document }
    set { link.document = newValue }
  }

  /// The document that the peer has said it has a copy of; `nil` where it has said nothing
  /// on this stream, and within that where it knows none.
  package var peerDocument: DocumentIdentity?? { link.peerDocument }

  /// Ends the exchange for a reason that was not found in what came.
  @inlinable
  package mutating func end(for failure: SyncFailure) -> [Action] {
    var actions: [Action] = []
    if link.isConnected, let goodbye = link.goodbye(failure) { actions.append(.send(goodbye)) }
    link.disconnect()
    actions.append(.close(failure))
    return actions
  }

  /// Sends what the peer is not known to have, in deltas of a source's making.
  ///
  /// All is as in ``flush(_:)``. Where the source gives `nil`, nothing is sent and the
  /// transfer stays due.
  ///
  /// - Complexity: O(number of replicas), with what the source takes.
  @inlinable
  package mutating func flush(_ value: Value, deltaSince: DeltaSource) -> [Action] {
    var actions: [Action] = []
    noteForks(of: value, &actions)
    link.isTransferDue = true
    link.beginTurn()
    pump(value, deltaSince: deltaSince, &actions)
    return actions + compareContents(of: value)
  }

  /// Tells the peer what the contents come to, and compares them with what it has told.
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

  /// Tells the peer what was taken in, and sends what it has asked for.
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
