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

/// The way from a replica to the root of the tree along which a group sends: the replica
/// first, the root last.
///
/// Everyone takes the least replica that it hears of for the root, and the shortest way
/// to it for its own; ways that lead through itself it leaves. So the ways make a tree
/// without loops as soon as all have heard of them, and after a link breaks: as paths do
/// between networks (Rekhter, Li, Hares, "A Border Gateway Protocol 4", RFC 4271, 2006).
@usableFromInline
struct TreeRoute: Hashable, Sendable {
  /// How many replicas a way has at most: who is further away has a tree of its own.
  @usableFromInline static let lengthMax = 255

  let replicas: [ReplicaID]

  /// The way of a replica that is the root itself.
  @usableFromInline
  init(of replica: ReplicaID) {
    replicas = [replica]
  }

  /// The way over a neighbour; `nil` where it leads back, or is too long.
  init?(of replica: ReplicaID, over neighbour: TreeRoute, lengthMax: Int) {
    guard neighbour.replicas.count < lengthMax, !neighbour.replicas.contains(replica)
    else { return nil }
    replicas = [replica] + neighbour.replicas
  }

  /// The best way that there is over neighbours that have told theirs.
  ///
  /// A way on which another neighbour stands, and leads on otherwise than that one says
  /// itself, is out of date, and left. Without that, where all are linked with all, each
  /// would try the ways over every other before it believed that a root is gone (Pei et
  /// al., "Improving BGP Convergence Through Consistency Assertions", 2002).
  @usableFromInline
  init(of replica: ReplicaID, overBestOf neighbours: [TreeRoute?], lengthMax: Int) {
    self.init(of: replica)
    var told: [ReplicaID: TreeRoute] = [:]
    for case .some(let neighbour) in neighbours { told[neighbour.replica] = neighbour }
    for neighbour in neighbours {
      guard let neighbour,
        let way = TreeRoute(of: replica, over: neighbour, lengthMax: lengthMax),
        way.isBetter(than: self), neighbour.agrees(with: told)
      else { continue }
      self = way
    }
  }

  /// Whether it goes on from each replica on it as that one has told itself.
  private func agrees(with told: [ReplicaID: TreeRoute]) -> Bool {
    // The first that has told decides: what comes after it is that one's own way.
    for place in replicas.indices.dropFirst() {
      guard let way = told[replicas[place]] else { continue }
      return replicas[place...].elementsEqual(way.replicas)
    }
    return true
  }

  /// Whose way it is.
  var replica: ReplicaID { replicas[0] }

  var root: ReplicaID { replicas[replicas.count - 1] }

  /// The neighbour over which it leads, unless the replica is the root.
  var parent: ReplicaID? { replicas.count > 1 ? replicas[1] : nil }

  /// How many links it leads over.
  var hops: Int { replicas.count - 1 }

  /// Whether it is to be preferred.
  func isBetter(than other: TreeRoute) -> Bool {
    (root, hops, parent ?? replica) < (other.root, other.hops, other.parent ?? other.replica)
  }
}

extension TreeRoute {
  func encode(to writer: inout ByteWriter) {
    for replica in replicas { replica.encode(to: &writer) }
  }

  /// Reads a way that a replica has told.
  init(from reader: inout ByteReader, of replica: ReplicaID) throws(DecodingFailure) {
    let start = reader.offset
    var replicas: [ReplicaID] = []
    while reader.remaining > 0 {
      guard replicas.count < Self.lengthMax else {
        throw DecodingFailure(.outOfBounds("the length of a way"), at: start)
      }
      replicas.append(try ReplicaID(from: &reader))
    }
    guard replicas.first == replica, Set(replicas).count == replicas.count else {
      throw DecodingFailure(.invalidValue("a way that does not lead anywhere"), at: start)
    }
    self.replicas = replicas
  }
}
