/// Brings two copies of a replicated value together over any stream of bytes.
///
/// A session is a state machine: it is told of bytes that came and of edits that
/// were made, and answers what is to be done. It reads and writes nothing itself,
/// knows no clock and starts no threads.
///
///     var session = PeerSession<ORSet<String>>(replica: phone)
///     perform(session.connect(list))
///     // Whenever bytes have come, cut at any place:
///     perform(session.receive(bytes, into: &list))
///     // After edits, or when another peer has taught something:
///     perform(session.flush(list))
///     // When the stream broke; connect(_:) on another one goes on from there:
///     session.disconnect()
///
/// The two sides tell each other what they have seen, and send what the other
/// lacks in *transfers*: one at a time each way, cut into frames, of which no more
/// than a window is under way. A transfer that a broken stream cut off goes on
/// over the next. Whatever is repeated changes nothing.
///
/// A session is kept for one peer and one value, and may be thrown away at any
/// time: a new one finds out from the peer what is to be done. Edits should be
/// durable before the session sees them: it may send all that the value holds.
/// The article *Sync protocol* says what each byte means.
public struct PeerSession<Value: TableBacked>: Sendable {
  /// The replica that writes on this side.
  ///
  /// Set it to the new identifier where the app takes one; the peer hears of it
  /// at the next ``connect(_:)``.
  public var replica: ReplicaID

  @usableFromInline var link: PeerLink
  /// What the transfers on this stream have told the peer, which need not be said
  /// again, and what the peer's have told.
  @usableFromInline var told: CodingMemory?
  @usableFromInline var heard: CodingMemory?
  /// Whether what is new is sent, and what came acknowledged, only when the session is
  /// flushed: as a member of a group.
  @usableFromInline var isPaced = false
  /// What the value came to when it was last compared, on this stream.
  @usableFromInline var known: KnownDigest?
  /// What was here when it was compared with all that the peer holds, on this stream: the
  /// peer does the same with it.
  @usableFromInline var contentsCompared: Value?
  /// What the peer has told of a version that wasn't here, on this stream.
  @usableFromInline var heardDigest: HeardDigest?
  /// What the peer has told last, on this stream.
  @usableFromInline var peerDigest: HeardDigest?
  /// Whether the app was told to take a new replica, on this stream.
  @usableFromInline var hasAskedForReplica = false
  /// The forks of the value that were known when this session last worked on it.
  @usableFromInline var knownForks: ContiguousArray<NotedFork> = []
  /// What the peer has told of events that weren't seen here, on this stream, and how many
  /// were seen when it was last compared.
  @usableFromInline var uncompared: ContiguousArray<ColumnHeads.Head> = []
  @usableFromInline var eventsCompared: UInt64 = 0
  /// Those that the peer may not have mended yet, on this stream.
  @usableFromInline var unsettled: ContiguousArray<UnsettledFork> = []
  /// Whether something wasn't taken in for that.
  @usableFromInline var hasPassedOver = false
  /// The replicas of which the peer may have another line of events, of which it was not yet
  /// asked for all, on this stream.
  @usableFromInline var otherLines: ContiguousArray<ReplicaID> = []

  /// Creates a session with one peer, over no stream yet.
  ///
  /// - Parameters:
  ///   - replica: The replica that writes on this side.
  ///   - document: The document that the value is a copy of; a peer that names another one
  ///     is refused with ``SyncFailure/differentDocument(found:own:)``. With `nil`, as with
  ///     a peer that names none, nothing is known and nothing refused.
  ///   - limits: What is taken from the peer at most.
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

  /// The peer's replica, once it has said so.
  @inlinable
  public var peerReplica: ReplicaID? { link.peerReplica }

  /// What the peer is known to have: it said so, sent it or acknowledged it.
  ///
  /// After ``disconnect()`` it is what was known before.
  @inlinable
  public var peerVersion: VersionVector { link.peerVersion }

  /// Whether both sides are known to hold the same, as of now: they have seen the same
  /// events, and have compared what these came to (``TableBacked/contentDigest``).
  ///
  /// The peer may since have made changes of which nothing has come yet.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public func isSynchronized(_ value: Value) -> Bool {
    hasSameVersion(as: value) && (isPaced || link.hasAgreed)
  }

  /// Whether both sides are known to have seen the same.
  @inlinable
  func hasSameVersion(as value: Value) -> Bool {
    link.isAtRest && value.table.hasSeenJust(link.peerVersion)
  }

  /// Begins on a new stream of bytes, and greets the peer.
  ///
  /// If there was a stream before, it counts as broken.
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
    knownForks = value.table.forks
    otherLines = []
    unsettled = []
    uncompared = []
    hasPassedOver = false
    do throws(SyncFailure) {
      return try link.connect(
        as: replica, typeCode: Value.typeCode, heads: value.table.heads
      ).map { .send($0) }
    } catch {
      return [.close(error)]
    }
  }

  /// Takes in bytes that came from the peer, however many.
  ///
  /// Without a stream, or after it failed, they are passed over.
  ///
  /// - Parameters:
  ///   - bytes: What came, cut at any place.
  ///   - value: The value to be kept in sync; it changes before this returns.
  ///   - accepting: Throws where the app does not want a delta to be taken in:
  ///     then nothing is, and the session closes with ``SyncFailure/refused(_:)``,
  ///     which holds the error's description.
  /// - Returns: What is to be done, in this order.
  /// - Complexity: O(`bytes.count` + number of replicas), and what taking in and
  ///   making deltas takes.
  @inlinable
  public mutating func receive(
    _ bytes: [UInt8], into value: inout Value,
    accepting: (Value.Delta) throws -> Void = { _ in }
  ) -> [Action] {
    receive(
      bytes, into: &value, accepting: accepting,
      deltaSince: { $0.delta(since: $1) })
  }

  /// Sends what the peer is not known to have: to be called after edits, and when
  /// something was learned from other peers.
  ///
  /// Where a transfer is under way, what is new follows when the peer has
  /// acknowledged it.
  ///
  /// - Complexity: O(number of replicas + what is new).
  @inlinable
  public mutating func flush(_ value: Value) -> [Action] {
    flush(value, deltaSince: { $0.delta(since: $1) })
  }

  /// Notes that the stream broke or was closed.
  ///
  /// The session keeps what has come of a transfer, up to
  /// ``SyncLimits/transferBytesMax`` bytes, and the transfer that it was sending.
  @inlinable
  public mutating func disconnect() {
    link.disconnect()
  }
}

extension PeerSession {
  /// What is to be done for a session, in the order it says.
  public enum Action: Sendable {
    /// Write these bytes to the stream.
    case send([UInt8])

    /// The value has taken this in.
    ///
    /// A store makes it durable before it does what follows, which may tell the
    /// peer that it is safe here. If that fails, drop the stream instead.
    case learned(Value.Delta)

    /// The peer has seen more of this replica's events than this side: the value
    /// is an older copy, a restored backup.
    ///
    /// Take a new ``ReplicaID`` before anything more is written, and set
    /// ``PeerSession/replica`` to it; else two events will go by one name. The
    /// exchange goes on, and brings back what was lost.
    case takeNewReplica

    /// Nothing further will come of this stream: close it.
    case close(SyncFailure)
  }
}
