/// Keeps one value in sync with many peers, and sends each change over as few links as
/// it takes.
///
///     var group = PeerGroup<ORSet<String>, Int>(replica: phone)
///     perform(group.connect(list, to: 7))
///     // Whenever bytes have come from a peer, cut at any place:
///     perform(group.receive(bytes, from: 7, into: &list))
///     // Once in a while, a second or so, and after edits if they are to go at once:
///     perform(group.flush(list))
///     // When a stream broke; connect(_:to:) goes on from there:
///     perform(group.disconnect(7))
///
/// Peers that are all linked with one another would send each change to each other many
/// times over. The members of a group agree on a tree instead: what is new goes along
/// the tree at once, and over every other link only word of what has been seen. A
/// member that hears of a change which does not come along the tree in time asks for
/// it. The tree needs nobody in its middle: where a link or a peer is gone, it grows
/// together over others. It follows Leitão, Pereira, Rodrigues, "Epidemic Broadcast
/// Trees", SRDS 2007: push along a tree, lazily repaired.
///
/// A peer may have a ``PeerSession`` in place of a group; it is sent all that is new. A
/// group reads and writes nothing itself, knows no clock and starts no threads: how
/// often it is flushed is how fast changes travel, a link at a time.
public struct PeerGroup<Value: TableBacked, Peer: Hashable & Sendable>: Sendable {
  /// The replica that writes on this side.
  public let replica: ReplicaID

  @usableFromInline let limits: SyncLimits
  @usableFromInline let document: DocumentID?
  @usableFromInline var members: [Member] = []
  @usableFromInline var places: [Peer: Int] = [:]
  /// The way from here to the root of the tree.
  @usableFromInline var route: TreeRoute

  /// Creates a group that has no peers yet.
  ///
  /// - Parameters:
  ///   - replica: The replica that writes on this side.
  ///   - document: The document that the value is a copy of, as for a session:
  ///     ``PeerSession/init(replica:document:limits:)``.
  ///   - limits: What is taken from each peer at most.
  @inlinable
  public init(
    replica: ReplicaID, document: DocumentID? = nil, limits: SyncLimits = .standard
  ) {
    self.replica = replica
    self.document = document
    self.limits = limits
    route = TreeRoute(of: replica)
  }
}

extension PeerGroup {
  /// The peers that there is a stream with, in the order in which they first came.
  @inlinable
  public var connectedPeers: [Peer] {
    members.filter { $0.session.isConnected }.map(\.peer)
  }

  /// The session with a peer, if there ever was a stream.
  @inlinable
  public subscript(peer: Peer) -> PeerSession<Value>? {
    places[peer].map { members[$0].session }
  }

  /// Whether all connected peers are known to hold the same as this side, as of now.
  ///
  /// Of peers off the tree it is heard only once in a while. Peers along the tree have
  /// compared what they hold, each with its neighbours.
  ///
  /// - Complexity: O(number of peers · number of replicas).
  @inlinable
  public func isSynchronized(_ value: Value) -> Bool {
    members.allSatisfy { member in
      !member.session.isConnected
        || member.session.isSynchronized(value)
          && (member.session.link.hasAgreed || !member.session.link.isInTree(of: route))
    }
  }

  /// Whether what is new goes to a peer at once, along the tree.
  @inlinable
  public func isInTree(_ peer: Peer) -> Bool {
    guard let place = places[peer], members[place].session.isConnected else { return false }
    return members[place].session.link.isInTree(of: route)
  }

  /// Begins on a new stream with a peer, and greets it.
  ///
  /// If there was a stream with it before, that counts as broken.
  ///
  /// - Complexity: O(number of peers + number of replicas).
  @inlinable
  public mutating func connect(_ value: Value, to peer: Peer) -> [Action] {
    let place = places[peer] ?? members.count
    if place == members.count {
      places[peer] = place
      members.append(
        Member(peer, PeerSession(replica: replica, document: document, limits: limits)))
    }
    members[place].beginStream()
    let greeting = members[place].session.connect(value)
    return named(greeting, place) + reroute()
  }

  /// Takes in bytes that came from a peer, however many.
  ///
  /// What is learned goes to the other peers when the group is flushed. Bytes of a peer
  /// without a stream are passed over.
  ///
  /// - Parameters:
  ///   - bytes: What came, cut at any place.
  ///   - peer: Who sent it.
  ///   - value: The value to be kept in sync; it changes before this returns.
  ///   - accepting: Throws where the app does not want a delta to be taken in, as in
  ///     ``PeerSession/receive(_:into:accepting:)``.
  /// - Returns: What is to be done, in this order.
  /// - Complexity: As a session's, and O(number of peers) where the tree changes.
  @inlinable
  public mutating func receive(
    _ bytes: [UInt8], from peer: Peer, into value: inout Value,
    accepting: (Value.Delta) throws -> Void = { _ in }
  ) -> [Action] {
    receive(
      bytes, from: peer, into: &value, accepting: accepting,
      deltaSince: { $0.delta(since: $1) })
  }

  /// Takes in bytes that came from a peer, and sends deltas of a source's making.
  @inlinable
  package mutating func receive(
    _ bytes: [UInt8], from peer: Peer, into value: inout Value,
    accepting: (Value.Delta) throws -> Void, deltaSince: PeerSession<Value>.DeltaSource
  ) -> [Action] {
    guard let place = places[peer] else { return [] }
    if !bytes.isEmpty { members[place].unheard = 0 }
    let before = members[place].standing
    let actions = members[place].session.receive(
      bytes, into: &value, accepting: accepting, deltaSince: deltaSince)
    let isMoved = members[place].standing != before
    return named(actions, place) + (isMoved ? reroute() : [])
  }

  /// Sends what peers along the tree are not known to have, tells others what has been
  /// seen, and asks for what did not come: to be called once in a while, and after edits
  /// that are to go at once.
  ///
  /// - Complexity: O(number of peers · number of replicas + what is new, for each peer
  ///   along the tree).
  @inlinable
  public mutating func flush(_ value: Value) -> [Action] {
    flush(value, deltaSince: { $0.delta(since: $1) })
  }

  /// Does what ``flush(_:)`` does, with deltas of a source's making.
  @inlinable
  package mutating func flush(
    _ value: Value, deltaSince: PeerSession<Value>.DeltaSource
  ) -> [Action] {
    var actions: [Action] = []
    let version = value.table.version
    for place in members.indices {
      if let frame = members[place].session.link.nextRouteFrame(route) {
        actions.append(.send(frame, to: members[place].peer))
      }
      actions += named(
        members[place].flush(value, version, route: route, deltaSince: deltaSince), place)
    }
    return actions
  }

  /// Notes that the stream with a peer broke or was closed.
  ///
  /// - Complexity: O(number of peers).
  @inlinable
  public mutating func disconnect(_ peer: Peer) -> [Action] {
    guard let place = places[peer] else { return [] }
    members[place].session.disconnect()
    return reroute()
  }

  /// Forgets a peer that is not expected to come back.
  ///
  /// - Complexity: O(number of peers).
  @inlinable
  public mutating func remove(_ peer: Peer) -> [Action] {
    guard let place = places.removeValue(forKey: peer) else { return [] }
    members.remove(at: place)
    for (other, later) in places where later > place { places[other] = later - 1 }
    return reroute()
  }
}

extension PeerGroup {
  @inlinable
  func named(_ actions: [PeerSession<Value>.Action], _ place: Int) -> [Action] {
    let peer = members[place].peer
    return actions.map { action in
      switch action {
      case .send(let bytes): .send(bytes, to: peer)
      case .learned(let delta): .learned(delta, from: peer)
      case .takeNewReplica: .takeNewReplica
      case .close(let failure): .close(peer, failure)
      }
    }
  }

  /// Finds the best way to the root anew, and tells those who were told of a worse one.
  @inlinable
  mutating func reroute() -> [Action] {
    route = TreeRoute(
      of: replica, overBestOf: members.map(\.session.link.route),
      lengthMax: limits.routeLengthMax)
    return members.indices.compactMap { place in
      members[place].session.link.nextRouteFrame(ifBetter: route).map {
        .send($0, to: members[place].peer)
      }
    }
  }
}

extension PeerGroup {
  /// What is to be done for a group, in the order it says.
  public enum Action: Sendable {
    /// Write these bytes to the peer's stream.
    case send([UInt8], to: Peer)

    /// The value has taken this in, from a peer.
    ///
    /// A store makes it durable before it does what follows, and before it flushes the
    /// group again: either may tell the peer that it is safe here. If that fails, drop the
    /// streams instead.
    case learned(Value.Delta, from: Peer)

    /// A peer has seen more of this replica's events than this side: see
    /// ``PeerSession/Action/takeNewReplica``.
    ///
    /// Go on with another group of the new replica, on new streams.
    case takeNewReplica

    /// Nothing further will come of the peer's stream: close it.
    case close(Peer, SyncFailure)
  }
}
