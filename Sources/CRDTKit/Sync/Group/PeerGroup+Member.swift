extension PeerGroup {
  /// A peer, its session, and the state of announced events that have not arrived.
  @usableFromInline
  struct Member: Sendable {
    @usableFromInline let peer: Peer
    @usableFromInline var session: PeerSession<Value>
    /// The peer's announced version when it was first found to have events missing here.
    @usableFromInline var awaited: VersionVector?
    /// The number of flushes since then.
    @usableFromInline var waited = 0
    /// The number of flushes since the last announcement over a link off the tree.
    @usableFromInline var flushes = 0
    /// The number of announcements since the peer last sent anything.
    @usableFromInline var unheard = 0
    /// The number of consecutive requests that did not bring the announced events.
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
  /// The properties of a member on which the tree depends.
  @inlinable
  var standing: (isOpen: Bool, route: TreeRoute?) {
    (session.link.isOpen, session.link.route)
  }

  /// The number of flushes between announcements over links off the tree.
  @inlinable
  static var announcementInterval: Int { 4 }

  /// The number of announcements to a silent peer before each interval is twice the last.
  ///
  /// The peer's link may be stalled, and sent data piles up. A peer that has received an
  /// announcement has either an announcement or a request of its own to send. That
  /// restores the usual interval.
  @inlinable
  static var unheardMax: Int { 16 }

  /// The number of flushes between announcements to this peer.
  @inlinable
  var flushesBetweenWords: Int {
    Self.announcementInterval << Swift.min(Swift.max(unheard - Self.unheardMax, 0), 40)
  }

  /// The number of requests for announced events before the peer's announcement is no
  /// longer believed.
  ///
  /// Each request waits twice as many flushes as the last.
  @inlinable
  static var unansweredMax: Int { 6 }

  @inlinable
  mutating func beginStream() {
    rest()
    unanswered = 0
    unheard = 0
  }

  /// Stops waiting for events.
  @inlinable
  mutating func rest() {
    awaited = nil
    waited = 0
    flushes = 0
  }

  /// Sends the pending messages over this link.
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
      // If two roots have the same name, this may be the only link between their trees.
      actions += session.compareContents(of: value)
      flushes = 0
      if actions.count > before { unheard += 1 }
    }
    return actions + pullIfLate(value, version, route: route)
  }

  /// Requests the peer's events if they have not arrived along the tree within the
  /// longest expected time.
  ///
  /// Each link on the route takes a flush; the time allows twice that, in case the tree
  /// has just changed. A stream loses nothing, so a peer that has the announced events
  /// sends them sooner or later. After enough requests, no more are sent on this stream
  /// until the events arrive.
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
    // A transfer that has begun to arrive is not requested again.
    guard !session.link.isReceiving else { return [] }
    waited += 1
    let patience = (2 * (session.link.hops(from: route) ?? 0) + 4) << unanswered
    guard waited > patience else { return [] }
    awaited = nil
    unanswered += 1
    return session.link.pull(since: value._table.heads).map { .send($0) }
  }
}
