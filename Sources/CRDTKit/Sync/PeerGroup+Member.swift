extension PeerGroup {
  /// A peer, the session with it, and what it was heard to have that did not come.
  @usableFromInline
  struct Member: Sendable {
    @usableFromInline let peer: Peer
    @usableFromInline var session: PeerSession<Value>
    /// What the peer was heard to have, when it was first found missing here.
    @usableFromInline var awaited: VersionVector?
    /// How often the group was flushed since.
    @usableFromInline var waited = 0
    /// How often it was flushed since the stream began.
    @usableFromInline var flushes = 0

    @inlinable
    init(_ peer: Peer, _ session: PeerSession<Value>) {
      self.peer = peer
      self.session = session
      self.session.isPaced = true
    }
  }
}

extension PeerGroup.Member {
  /// What of a member the tree depends on.
  @inlinable
  var standing: (isOpen: Bool, route: TreeRoute?) {
    (session.link.isOpen, session.link.route)
  }

  /// After how many flushes word goes out over links off the tree.
  @inlinable
  static var announcementInterval: Int { 4 }

  @inlinable
  mutating func beginStream() {
    awaited = nil
    waited = 0
    flushes = 0
  }

  /// Sends what is due over this link.
  @inlinable
  mutating func flush(
    _ value: Value, route: TreeRoute, deltaSince: PeerSession<Value>.DeltaSource
  ) -> [PeerSession<Value>.Action] {
    guard session.isConnected else { return [] }
    guard !session.link.isInTree(of: route) else {
      beginStream()
      return session.flush(value, deltaSince: deltaSince)
    }
    flushes += 1
    var actions = session.acknowledge(value, deltaSince: deltaSince)
    if flushes % Self.announcementInterval == 0 {
      while let frame = session.link.nextAnnouncement(of: value.version) {
        actions.append(.send(frame))
      }
    }
    return actions + pullIfLate(value, route: route)
  }

  /// Asks for what the peer has, where it has not come along the tree in the time that
  /// takes at most: each link on the way takes a flush, and as many again in case the
  /// tree has just changed.
  @inlinable
  mutating func pullIfLate(
    _ value: Value, route: TreeRoute
  ) -> [PeerSession<Value>.Action] {
    if let version = awaited, value.version.contains(version) { awaited = nil }
    guard awaited != nil else {
      let known = session.peerVersion
      awaited = value.version.contains(known) ? nil : known
      waited = 0
      return []
    }
    waited += 1
    guard waited > 2 * (session.link.hops(from: route) ?? 0) + 4 else { return [] }
    awaited = nil
    return session.link.pull(since: value.table.heads).map { .send($0) }
  }
}
