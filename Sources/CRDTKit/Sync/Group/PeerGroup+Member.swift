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
    /// How often it was flushed since word last went out off the tree.
    @usableFromInline var flushes = 0
    /// How often word went out since anything came from the peer.
    @usableFromInline var unheard = 0
    /// How many pleas in a row did not bring what the peer was heard to have.
    @usableFromInline var unanswered = 0

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

  /// How often word goes out to a peer of which nothing comes before each next time takes
  /// twice as many flushes as the last: its link may stand still, and what is sent piles up.
  ///
  /// A peer that has taken it in has either word of its own or something to ask for, and
  /// that brings the next word at its usual time.
  @inlinable
  static var unheardMax: Int { 16 }

  /// After how many flushes word goes out to this peer.
  @inlinable
  var flushesBetweenWords: Int {
    Self.announcementInterval << Swift.min(Swift.max(unheard - Self.unheardMax, 0), 40)
  }

  /// How often a peer is asked for what it is heard to have, each time after twice as
  /// many flushes, until it is no longer believed to have that.
  @inlinable
  static var unansweredMax: Int { 6 }

  @inlinable
  mutating func beginStream() {
    rest()
    unanswered = 0
    unheard = 0
  }

  /// Waits for nothing.
  @inlinable
  mutating func rest() {
    awaited = nil
    waited = 0
    flushes = 0
  }

  /// Sends what is due over this link.
  @inlinable
  mutating func flush(
    _ value: Value, _ version: VersionVector, route: TreeRoute,
    deltaSince: PeerSession<Value>.DeltaSource
  ) -> [PeerSession<Value>.Action] {
    guard session.isConnected else { return [] }
    guard !session.link.isInTree(of: route) else {
      rest()
      return session.flush(value, deltaSince: deltaSince)
    }
    flushes += 1
    var actions = session.acknowledge(value, deltaSince: deltaSince)
    if flushes >= flushesBetweenWords {
      let before = actions.count
      while let frame = session.link.nextAnnouncement(of: version) {
        actions.append(.send(frame))
      }
      // Where two roots have one name, this may be the only link between their trees.
      actions += session.compareContents(of: value)
      flushes = 0
      if actions.count > before { unheard += 1 }
    }
    return actions + pullIfLate(value, version, route: route)
  }

  /// Asks for what the peer has, where it has not come along the tree in the time that
  /// takes at most: each link on the way takes a flush, and as many again in case the
  /// tree has just changed.
  ///
  /// A stream loses nothing: who has what it claims sends it sooner or later. So one that
  /// was asked often enough is asked no more on this stream, until it has come.
  @inlinable
  mutating func pullIfLate(
    _ value: Value, _ version: VersionVector, route: TreeRoute
  ) -> [PeerSession<Value>.Action] {
    if let expected = awaited, version.contains(expected) {
      awaited = nil
      unanswered = 0
    }
    guard awaited != nil else {
      waited = 0
      if version.contains(session.peerVersion) {
        unanswered = 0
      } else if unanswered < Self.unansweredMax {
        awaited = session.peerVersion
      }
      return []
    }
    // What has begun to come is not asked for again.
    guard !session.link.isReceiving else { return [] }
    waited += 1
    let patience = (2 * (session.link.hops(from: route) ?? 0) + 4) << unanswered
    guard waited > patience else { return [] }
    awaited = nil
    unanswered += 1
    return session.link.pull(since: value.table.heads).map { .send($0) }
  }
}
