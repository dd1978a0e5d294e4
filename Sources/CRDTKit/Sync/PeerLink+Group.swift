/// What the sessions of a group say besides: the ways to the root, what has been seen,
/// and pleas for what did not come.
extension PeerLink {
  /// Notes that the session is flushed: one plea more may be answered.
  @usableFromInline
  mutating func beginTurn() {
    hasAnswered = isHeldBack
    isHeldBack = false
    routesTold = 0
  }

  /// How far it is from here to the peer along the tree at most; `nil` unless the peer
  /// is in a group.
  @usableFromInline
  func hops(from route: TreeRoute) -> Int? {
    self.route.map { $0.hops + route.hops }
  }

  /// Whether what is new goes to the peer without being asked for.
  ///
  /// It does along the tree, to peers that are in no group, and while the two know of
  /// different roots.
  @usableFromInline
  func isInTree(of route: TreeRoute) -> Bool {
    guard let peer = self.route else { return true }
    return peer.root != route.root || peer.parent == route.replica
      || route.parent == peer.replica
  }

  /// The frame that tells the peer the way from here; `nil` if it was told.
  @usableFromInline
  mutating func nextRouteFrame(_ route: TreeRoute) -> [UInt8]? {
    guard isOpen, speaksParcels, routeTold != route else { return nil }
    routeTold = route
    routesTold += 1
    return frame(.route) { route.encode(to: &$0) }
  }

  /// The frame that tells the peer the way from here, if that is better than what it was
  /// told.
  ///
  /// Bad news waits for the next flush, lest each of many steps be told. So does good news
  /// where there is no end of it: what one peer invents would go to all.
  @usableFromInline
  mutating func nextRouteFrame(ifBetter route: TreeRoute) -> [UInt8]? {
    guard routesTold < Self.routesMax, routeTold.map({ route.isBetter(than: $0) }) ?? true
    else { return nil }
    return nextRouteFrame(route)
  }

  /// How many ways a peer is told between two flushes at most.
  private static var routesMax: Int { 64 }

  /// The frame that tells the peer what has been seen here; `nil` if it was told.
  @usableFromInline
  mutating func nextAnnouncement(of version: VersionVector) -> [UInt8]? {
    guard isOpen, speaksParcels,
      let body = announced.encode(version, bytesMax: limits.frameBytesMax)
    else { return nil }
    return frame(.announcement, body)
  }

  /// The frames that ask for all that is not in a version.
  @usableFromInline
  mutating func pull(since heads: ColumnHeads) -> [[UInt8]] {
    guard isOpen, speaksParcels else { return [] }
    parcels.restart(hearingSince: heads)
    announced = AnnouncedVersion(heads.version)
    return frames(.pull, heads.bodies(after: { _ in }, bytesMax: limits.frameBytesMax))
  }

  mutating func takeRoute(_ body: [UInt8]) throws(SyncFailure) {
    guard speaksParcels, let peerReplica else { throw .violation("a way, unasked") }
    var reader = ByteReader(body)
    route = try SyncFailure.wrap { () throws(DecodingFailure) in
      try TreeRoute(from: &reader, of: peerReplica)
    }
  }

  mutating func takeAnnouncement(_ body: [UInt8]) throws(SyncFailure) {
    guard speaksParcels else { throw .violation("an announcement, unasked") }
    var reader = ByteReader(body)
    try SyncFailure.wrap { () throws(DecodingFailure) in
      try peerAnnounced.take(from: &reader, replicasMax: limits.replicasMax)
    }
    learnPeerHas(peerAnnounced.version)
  }

  mutating func takePull(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard speaksParcels else { throw .violation("a plea, unasked") }
    var reader = ByteReader(body)
    headList = try HeadList(.pull, from: &reader, replicasMax: limits.replicasMax)
    return finishHeads()
  }
}
