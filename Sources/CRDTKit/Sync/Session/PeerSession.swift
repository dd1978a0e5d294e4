/// Synchronizes two copies of a replicated value over any stream of bytes.
///
/// A session is a state machine: you pass it received bytes and local edits, and it
/// returns the actions to perform. It does no I/O, reads no clock and starts no
/// threads.
///
///     var session = PeerSession<ORSet<String>>(replica: phone)
///     perform(session.connect(list))
///     // Whenever you receive bytes, split at any point:
///     perform(session.receive(bytes, into: &list))
///     // After edits, or when another peer has brought something new:
///     perform(session.flush(list))
///     // When the stream breaks; connect(_:) on another stream continues from there:
///     session.disconnect()
///
/// Each side tells the other its version, and sends the events that the other lacks in
/// *transfers*. One transfer at a time is under way in each direction. It is cut into
/// frames, and at most one window of bytes is unacknowledged. If the stream breaks, the
/// transfer continues on the next stream. Receiving the same data twice changes nothing.
///
/// Keep one session for each peer and value. You may discard a session at any time: a new
/// one learns from the peer what to send. Make edits durable before the session sees
/// them, because it may send everything that the value holds. The article *Sync protocol*
/// describes every byte.
public struct PeerSession<Value: TableBacked>: Sendable {
  /// The replica that writes on this side.
  ///
  /// If the app takes a new identifier, set it here. The peer learns it at the next
  /// ``connect(_:)``.
  public var replica: ReplicaID

  @usableFromInline var link: PeerLink
  /// The names that transfers on this stream have sent, which need not be repeated;
  /// `heard` has the received names.
  @usableFromInline var told: CodingMemory?
  @usableFromInline var heard: CodingMemory?
  /// Whether changes and acknowledgements are sent only at a flush, as for a member of a
  /// group.
  @usableFromInline var isPaced = false
  /// Whether learned deltas name all events that they build on: a log that keeps them in
  /// order needs only those of their own replicas, and the rest costs O(number of replicas)
  /// for each.
  @usableFromInline package var namesWholeBases = true
  /// The value's digest when it was last compared on this stream.
  @usableFromInline var known: KnownDigest?
  /// The value as it was when it was compared with the peer's whole contents on this
  /// stream.
  ///
  /// The peer does the same.
  @usableFromInline var contentsCompared: Value?
  /// A digest from the peer, on this stream, for a version that was not here yet.
  @usableFromInline var heardDigest: HeardDigest?
  /// The last digest from the peer on this stream.
  @usableFromInline var peerDigest: HeardDigest?
  /// Whether the app was told to take a new replica on this stream.
  @usableFromInline var hasAskedForReplica = false
  /// The value's forks that were known when this session last worked on it.
  @usableFromInline var knownForks: ContiguousArray<NotedFork> = []
  /// The heads from the peer, on this stream, of events that are not known here, and how
  /// many were known at the last comparison.
  @usableFromInline var uncompared: ContiguousArray<ColumnHeads.Head> = []
  @usableFromInline var eventsCompared: UInt64 = 0
  /// The forks that the peer may not have mended yet, on this stream.
  @usableFromInline var unsettled: ContiguousArray<UnsettledFork> = []
  /// Whether a delta was skipped because of an unsettled fork.
  @usableFromInline var hasPassedOver = false
  /// The replicas for which the peer may have another line of events, and for which not
  /// all events were requested yet on this stream.
  @usableFromInline var otherLines: ContiguousArray<ReplicaID> = []

  /// Creates a session with one peer, without a stream yet.
  ///
  /// - Parameters:
  ///   - replica: The replica that writes on this side.
  ///   - document: The document that the value is a copy of. A peer that names another
  ///     document is refused with ``SyncFailure/differentDocument(found:own:)``. If this
  ///     is `nil`, or the peer names no document, the check is skipped.
  ///   - limits: The limits on what the peer may send.
  @inlinable
  public init(
    replica: ReplicaID, document: DocumentID? = nil, limits: SyncLimits = .standard
  ) {
    self.replica = replica
    link = PeerLink(limits: limits, document: document)
  }
}

extension PeerSession {
  /// Whether there is a stream that has not failed.
  @inlinable
  public var isConnected: Bool { link.isConnected }

  /// The peer's replica; `nil` until the peer has sent it.
  @inlinable
  public var peerReplica: ReplicaID? { link.peerReplica }

  /// The version that the peer is known to have: it announced, sent or acknowledged these
  /// events.
  ///
  /// After ``disconnect()`` the last known version remains.
  @inlinable
  public var peerVersion: VersionVector { link.peerVersion }

  /// Whether both sides are known to hold the same contents now.
  ///
  /// It is `true` once both have the same version and have compared their digests
  /// (``TableBacked/contentDigest``). The peer may have made changes since that have not
  /// arrived yet.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public func isSynchronized(_ value: Value) -> Bool {
    hasSameVersion(as: value) && (isPaced || link.hasAgreed)
  }

  /// Whether both sides are known to have the same version.
  @inlinable
  func hasSameVersion(as value: Value) -> Bool {
    link.isAtRest && value._table.hasSeenJust(link.peerVersion)
  }

  /// Starts the exchange on a new stream of bytes, and greets the peer.
  ///
  /// A previous stream counts as broken.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public mutating func connect(_ value: Value) -> [Action] {
    hasAskedForReplica = false
    heard = nil
    known = nil
    heardDigest = nil
    peerDigest = nil
    contentsCompared = nil
    knownForks = value._table.forks
    otherLines = []
    unsettled = []
    uncompared = []
    hasPassedOver = false
    do throws(SyncFailure) {
      return try link.connect(
        as: replica, typeCode: Value.typeCode, heads: value._table.heads
      ).map { .send($0) }
    } catch {
      return [.close(error)]
    }
  }

  /// Receives bytes from the peer, in chunks of any size.
  ///
  /// Without a stream, or after the stream failed, the bytes are ignored.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes, split at any point.
  ///   - value: The value to keep in sync. It is changed before this returns.
  ///   - accepting: Throws if the app rejects a delta. The delta is then not applied, and
  ///     the session closes with ``SyncFailure/refused(_:)``, which holds the error's
  ///     description.
  /// - Returns: The actions to perform, in this order.
  /// - Complexity: O(`bytes.count` + number of replicas), plus the cost of applying and
  ///   making deltas.
  @inlinable
  public mutating func receive(
    _ bytes: [UInt8], into value: inout Value,
    accepting: (Value.Delta) throws -> Void = { _ in }
  ) -> [Action] {
    receive(
      bytes, into: &value, accepting: accepting,
      deltaSince: { $0.delta(since: $1) })
  }

  /// Sends the events that the peer is not known to have.
  ///
  /// Call it after edits, and when other peers have brought something new. While a
  /// transfer is under way, new events follow once the peer has acknowledged it.
  ///
  /// - Complexity: O(number of replicas + new events).
  @inlinable
  public mutating func flush(_ value: Value) -> [Action] {
    flush(value, deltaSince: { $0.delta(since: $1) })
  }

  /// Tells the session that its stream broke or was closed.
  ///
  /// The session keeps the received part of a transfer, up to
  /// ``SyncLimits/maximumTransferBytes`` bytes, and the transfer that it was sending.
  @inlinable
  public mutating func disconnect() {
    link.disconnect()
  }
}

extension PeerSession {
  /// An action to perform for a session, in the order returned.
  public enum Action: Sendable {
    /// Write these bytes to the stream.
    case send([UInt8])

    /// The value has applied this delta.
    ///
    /// Make it durable before you perform the actions that follow: they may tell the peer
    /// that the delta is safe here. If that fails, drop the stream instead.
    case learned(Value.Delta)

    /// The peer has more of this replica's events than this side: the value is an older
    /// copy, such as a restored backup.
    ///
    /// Take a new ``ReplicaID`` before the next write, and set ``PeerSession/replica`` to
    /// it. Otherwise two different events would have the same dot. The exchange
    /// continues, and brings back the lost events.
    case takeNewReplica

    /// Nothing more will come on this stream: close it.
    case close(SyncFailure)
  }
}
