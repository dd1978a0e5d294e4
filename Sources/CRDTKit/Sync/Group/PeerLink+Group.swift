/// The messages of a group's sessions: routes to the root, announcements, and requests
/// for late events.
extension PeerLink {
  /// Starts a new flush: one more request may be answered.
  @usableFromInline
  mutating func beginTurn() {
    hasAnswered = isHeldBack
    isHeldBack = false
    routesTold = 0
  }

  /// The greatest number of links to the peer along the tree; `nil` if the peer is in no
  /// group.
  @usableFromInline
  func hops(from route: TreeRoute) -> Int? {
    self.route.map { $0.hops + route.hops }
  }

  /// Whether new events go to the peer without a request.
  ///
  /// They do along the tree, to peers that are in no group, and while the two sides know
  /// different roots.
  @usableFromInline
  func isInTree(of route: TreeRoute) -> Bool {
    guard let peer = self.route else { return true }
    return peer.root != route.root || peer.parent == route.replica
      || route.parent == peer.replica
  }

  /// The frame that tells the peer this side's route; `nil` if the peer knows it.
  @usableFromInline
  mutating func nextRouteFrame(_ route: TreeRoute) -> [UInt8]? {
    guard isOpen, speaksParcels, routeTold != route else { return nil }
    routeTold = route
    routesTold += 1
    return frame(.route) { route.encode(to: &$0) }
  }

  /// The frame that tells the peer this side's route, if it is better than the one that
  /// the peer knows.
  ///
  /// A worse route waits for the next flush, so that not every intermediate step is sent.
  /// A better one also waits once too many were sent: routes that one peer invents would
  /// otherwise reach everyone.
  @usableFromInline
  mutating func nextRouteFrame(ifBetter route: TreeRoute) -> [UInt8]? {
    guard routesTold < Self.routesMax, routeTold.map({ route.isBetter(than: $0) }) ?? true
    else { return nil }
    return nextRouteFrame(route)
  }

  /// The greatest number of routes that a peer is told between two flushes.
  private static var routesMax: Int { 64 }

  /// The frame that announces the version here; `nil` if the peer knows it.
  @usableFromInline
  mutating func nextAnnouncement(of version: VersionVector) -> [UInt8]? {
    guard isOpen, speaksParcels,
      let body = announced.encode(version, bytesMax: limits.maximumFrameBytes)
    else { return nil }
    return frame(.announcement, body)
  }

  /// The frames that request all events outside a version.
  @usableFromInline
  mutating func pull(since heads: ColumnHeads) -> [[UInt8]] {
    guard isOpen, speaksParcels else { return [] }
    parcels.restart(hearingSince: heads)
    announced = AnnouncedVersion(heads.version)
    return frames(.pull, heads.bodies(after: { _ in }, bytesMax: limits.maximumFrameBytes))
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
      try peerAnnounced.take(from: &reader, maximumReplicas: limits.maximumReplicas)
    }
    learnPeerHas(peerAnnounced.version)
  }

  mutating func takePull(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard speaksParcels else { throw .violation("a plea, unasked") }
    var reader = ByteReader(body)
    headList = try HeadList(.pull, from: &reader, maximumReplicas: limits.maximumReplicas)
    return finishHeads()
  }
}

/// A route from a replica to the root of the group's tree: the replica first, the root
/// last.
///
/// Every member takes the least replica that it knows of as the root, and the shortest
/// route to it as its own. It ignores routes that lead through itself. So the routes form
/// a tree without loops once all members know them, also after a link breaks, as paths
/// between networks do (Rekhter, Li, Hares, "A Border Gateway Protocol 4", RFC 4271,
/// 2006).
@usableFromInline
struct TreeRoute: Hashable, Sendable {
  /// The greatest number of replicas in a route; a replica further away has a tree of its
  /// own.
  @usableFromInline static let lengthMax = 255

  let replicas: [ReplicaID]

  /// Creates the route of a replica that is the root itself.
  @usableFromInline
  init(of replica: ReplicaID) {
    replicas = [replica]
  }

  /// Creates the route over a neighbour; `nil` if it leads back or is too long.
  init?(of replica: ReplicaID, over neighbour: TreeRoute, lengthMax: Int) {
    guard neighbour.replicas.count < lengthMax, !neighbour.replicas.contains(replica)
    else { return nil }
    replicas = [replica] + neighbour.replicas
  }

  /// Creates the best route over neighbours that have told theirs.
  ///
  /// If another neighbour is on a route, and the route continues differently from that
  /// neighbour's own, the route is out of date and is ignored. Without this check, in a
  /// group where all are linked, each member would try the routes over every other before
  /// it accepted that a root is gone (Pei et al., "Improving BGP Convergence Through
  /// Consistency Assertions", 2002).
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

  /// Whether it agrees with the routes that the replicas on it have told themselves.
  private func agrees(with told: [ReplicaID: TreeRoute]) -> Bool {
    // The first replica that has told its route decides: the rest is that replica's own
    // route.
    for place in replicas.indices.dropFirst() {
      guard let way = told[replicas[place]] else { continue }
      return replicas[place...].elementsEqual(way.replicas)
    }
    return true
  }

  /// The replica at the start of the route.
  var replica: ReplicaID { replicas[0] }

  var root: ReplicaID { replicas[replicas.count - 1] }

  /// The next replica on the route; `nil` for the root.
  var parent: ReplicaID? { replicas.count > 1 ? replicas[1] : nil }

  /// The number of links on the route.
  var hops: Int { replicas.count - 1 }

  /// Whether this route is preferred to the other.
  func isBetter(than other: TreeRoute) -> Bool {
    (root, hops, parent ?? replica) < (other.root, other.hops, other.parent ?? other.replica)
  }
}

extension TreeRoute {
  func encode(to writer: inout ByteWriter) {
    for replica in replicas { replica.encode(to: &writer) }
  }

  /// Reads a route that a replica has sent.
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
