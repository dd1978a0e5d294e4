/// Keeps one value in sync with many peers, and sends each change over as few links as
/// possible.
///
///     var group = PeerGroup<ORSet<String>, Int>(replica: phone)
///     perform(group.connect(list, to: 7))
///     // Whenever you receive bytes from a peer, split at any point:
///     perform(group.receive(bytes, from: 7, into: &list))
///     // Regularly, about once a second, and after edits that are urgent:
///     perform(group.flush(list))
///     // When a stream breaks; connect(_:to:) continues from there:
///     perform(group.disconnect(7))
///
/// If every peer sent each change to every other, each change would travel many times. So
/// the members of a group agree on a tree. New events travel along the tree at once; over
/// every other link a member only announces its version. A member that learns of events
/// which do not arrive along the tree in time requests them. The tree has no fixed
/// center: if a link or a peer disappears, the tree repairs itself over other links. The
/// design follows Leitão, Pereira, Rodrigues, "Epidemic Broadcast Trees", SRDS 2007: push
/// along a tree, with lazy repair.
///
/// A peer may use a ``PeerSession`` instead of a group; it is sent all new events. A
/// group does no I/O, reads no clock and starts no threads: a change travels one link
/// with each flush.
public struct PeerGroup<Value: TableBacked, Peer: Hashable & Sendable>: Sendable {
  /// The replica that writes on this side.
  public let replica: ReplicaID

  @usableFromInline let limits: SyncLimits
  @usableFromInline let document: DocumentID?
  @usableFromInline var members: [Member] = []
  @usableFromInline var places: [Peer: Int] = [:]
  /// The route from here to the root of the tree.
  @usableFromInline var route: TreeRoute

  /// Creates a group without peers.
  ///
  /// - Parameters:
  ///   - replica: The replica that writes on this side.
  ///   - document: The document that the value is a copy of, as in
  ///     ``PeerSession/init(replica:document:limits:)``.
  ///   - limits: The limits on what each peer may send.
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
  /// The peers that have a stream, in the order of their first connection.
  @inlinable
  public var connectedPeers: [Peer] {
    members.filter { $0.session.isConnected }.map(\.peer)
  }

  /// The session with a peer; `nil` if it never had a stream.
  @inlinable
  public subscript(peer: Peer) -> PeerSession<Value>? {
    places[peer].map { members[$0].session }
  }

  /// Whether all connected peers are known to hold the same contents as this side now.
  ///
  /// Peers off the tree announce their version only at intervals. Each peer along the
  /// tree has compared its contents with its neighbours.
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

  /// Whether new events go to a peer at once, along the tree.
  @inlinable
  public func isInTree(_ peer: Peer) -> Bool {
    guard let place = places[peer], members[place].session.isConnected else { return false }
    return members[place].session.link.isInTree(of: route)
  }

  /// Starts the exchange on a new stream with a peer, and greets it.
  ///
  /// A previous stream with the peer counts as broken.
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

  /// Receives bytes from a peer, in chunks of any size.
  ///
  /// New events go to the other peers at the next flush. Bytes from a peer without a
  /// stream are ignored.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes, split at any point.
  ///   - peer: The sender.
  ///   - value: The value to keep in sync. It is changed before this returns.
  ///   - accepting: Throws if the app rejects a delta, as in
  ///     ``PeerSession/receive(_:into:accepting:)``.
  /// - Returns: The actions to perform, in this order.
  /// - Complexity: As for a session, and O(number of peers) if the tree changes.
  @inlinable
  public mutating func receive(
    _ bytes: [UInt8], from peer: Peer, into value: inout Value,
    accepting: (Value.Delta) throws -> Void = { _ in }
  ) -> [Action] {
    receive(
      bytes, from: peer, into: &value, accepting: accepting,
      deltaSince: { $0.delta(since: $1) })
  }

  /// Receives bytes from a peer, and sends deltas that a source makes.
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

  /// Sends new events along the tree, announces the version to other peers, and requests
  /// late events.
  ///
  /// Call it regularly, and after edits that are urgent.
  ///
  /// - Complexity: O(number of peers · number of replicas + new events, for each peer
  ///   along the tree).
  @inlinable
  public mutating func flush(_ value: Value) -> [Action] {
    flush(value, deltaSince: { $0.delta(since: $1) })
  }

  /// Does the same as ``flush(_:)``, with deltas that a source makes.
  @inlinable
  package mutating func flush(
    _ value: Value, deltaSince: PeerSession<Value>.DeltaSource
  ) -> [Action] {
    var actions: [Action] = []
    let version = value._table.version
    for place in members.indices {
      if let frame = members[place].session.link.nextRouteFrame(route) {
        actions.append(.send(frame, to: members[place].peer))
      }
      actions += named(
        members[place].flush(value, version, route: route, deltaSince: deltaSince), place)
    }
    return actions
  }

  /// Tells the group that the stream with a peer broke or was closed.
  ///
  /// - Complexity: O(number of peers).
  @inlinable
  public mutating func disconnect(_ peer: Peer) -> [Action] {
    guard let place = places[peer] else { return [] }
    members[place].session.disconnect()
    return reroute()
  }

  /// Removes a peer that is not expected to return.
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

  /// Recomputes the best route to the root, and tells the peers that know a worse one.
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
  /// An action to perform for a group, in the order returned.
  public enum Action: Sendable {
    /// Write these bytes to the peer's stream.
    case send([UInt8], to: Peer)

    /// The value has applied this delta from a peer.
    ///
    /// Make it durable before you perform the actions that follow, and before you flush
    /// the group again: either may tell the peer that the delta is safe here. If that
    /// fails, drop the streams instead.
    case learned(Value.Delta, from: Peer)

    /// A peer has more of this replica's events than this side: see
    /// ``PeerSession/Action/takeNewReplica``.
    ///
    /// Continue with another group of the new replica, on new streams.
    case takeNewReplica

    /// Nothing more will come on the peer's stream: close it.
    case close(Peer, SyncFailure)
  }
}
