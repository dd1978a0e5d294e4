extension PeerLink {
  /// Consumes bytes until there is an event to handle; returns `nil` if the bytes run out
  /// before.
  @usableFromInline
  mutating func next(from input: inout ArraySlice<UInt8>) throws(SyncFailure) -> Event? {
    while let frame = try assembler.next(from: &input) {
      if let event = try take(frame) { return event }
    }
    return nil
  }

  private mutating func take(_ frame: Frame) throws(SyncFailure) -> Event? {
    guard let kind = Frame.Kind(rawValue: frame.kind) else {
      throw phase == .greeting && headList == nil
        ? .notAPeer : .violation("a frame of the unknown kind \(frame.kind)")
    }
    if kind == .goodbye { throw .endedByPeer(reason(in: frame.body)) }
    if phase == .greeting, headList == nil, kind != .hello {
      throw .violation("a frame before its hello")
    }
    if headList != nil, kind != .heads {
      throw .violation("a frame amid a version")
    }
    switch kind {
    case .hello: return try takeHello(frame.body)
    case .heads: return try takeHeads(frame.body)
    case .again: return try takeAgain(frame.body)
    case .offer: try takeOffer(frame.body)
    case .data: return try takeData(frame.body)
    case .progress: try takeProgress(frame.body)
    case .acknowledgement: try takeAcknowledgement(frame.body)
    case .parcel: return try takeParcel(frame.body)
    case .taken: try takeTaken(frame.body)
    case .announcement: try takeAnnouncement(frame.body)
    case .pull: return try takePull(frame.body)
    case .route: try takeRoute(frame.body)
    case .digest: return try takeDigest(frame.body)
    case .goodbye: break
    }
    return nil
  }

  private func reason(in body: [UInt8]) -> SyncFailure.Kind {
    body.first.flatMap { SyncFailure.Kind(rawValue: $0) } ?? .unknown
  }

  private mutating func takeHello(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard phase == .greeting else { throw .violation("a second hello") }
    var reader = ByteReader(body)
    let hello = try Hello(from: &reader, typeCode: typeCode)
    isNamesake = hello.replica == replica
    if let document, let found = hello.document, !document.canMeet(found) {
      throw .differentDocument(found: found.id, own: document.id)
    }
    peerDocument = .some(hello.document)
    let list = try HeadList(
      .hello(hello.partial), from: &reader, maximumReplicas: limits.maximumReplicas)
    peerReplica = hello.replica
    windowBytes = min(limits.windowBytes, hello.windowBytes)
    protocolVersion = hello.version
    headList = list
    return finishHeads()
  }

  private mutating func takeAgain(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard timesAskedAgain <= Self.forksMax else { throw .violation("asking again and again") }
    timesAskedAgain += 1
    var reader = ByteReader(body)
    headList = try HeadList(.again, from: &reader, maximumReplicas: limits.maximumReplicas)
    return finishHeads()
  }

  private mutating func takeHeads(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard headList != nil else { throw .violation("more of a version that was whole") }
    try headList?.append(body)
    return finishHeads()
  }

  /// Handles a received version once it is complete.
  mutating func finishHeads() -> Event? {
    guard let list = headList, list.missing == 0 else { return nil }
    headList = nil
    let heads = ColumnHeads(list.heads)
    peerVersion = heads.version
    sentVersion = peerVersion
    isTransferDue = true
    parcels.restart(telling: heads)
    peerAnnounced = AnnouncedVersion(peerVersion)
    switch list.purpose {
    case .hello(let partial):
      phase = .open
      parcels.restarts = false
      parcels.restartsHeard = 0
      self.partial = partial
      restartOutgoing()
      return .learnedHeads(heads, isHello: true)
    case .again:
      partial = nil
      outgoing = nil
      return .learnedHeads(heads, isHello: false)
    case .pull:
      isPulled = true
      isHeldBack = hasAnswered
      hasAnswered = true
      return .learnedHeads(heads, isHello: false)
    }
  }

  /// Continues a transfer from a broken stream, if the peer still lacks it and can apply
  /// it.
  private mutating func restartOutgoing() {
    guard var transfer = outgoing else { return }
    outgoing = nil
    guard peerVersion.contains(transfer.base), !peerVersion.contains(transfer.version) else {
      return
    }
    // Make a new delta instead of restarting a transfer, so that it has all new events.
    // The same holds for a transfer that can only be decoded after others.
    guard let partial, transfer.standsAlone, transfer.isContinued(by: partial) else { return }
    transfer.restart(at: partial)
    outgoing = transfer
    self.partial = nil
  }
}
