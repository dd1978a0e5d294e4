/// The part of a peer session that is independent of the value's type: frames, transfers
/// and versions.
///
/// The session passes it bytes and receives ``Event``s. The session itself does whatever
/// needs the value.
@usableFromInline
struct PeerLink: Sendable {
  enum Phase: Sendable {
    /// There is no stream, or nothing more to do with it.
    case idle
    /// A hello was sent, and the peer's is not complete.
    case greeting
    case open
  }

  @usableFromInline let limits: SyncLimits
  /// The document of which this side has a copy, if known.
  var document: DocumentIdentity?
  /// The document that the peer has named on this stream or the last; `nil` if it has
  /// sent no hello, and `.some(nil)` if it knows none.
  var peerDocument: DocumentIdentity??
  var phase = Phase.idle
  var assembler = FrameAssembler()
  var framesSent: UInt64 = 0
  /// The replica that this side has announced.
  var replica = ReplicaID(0)
  var typeCode: [UInt8] = []
  @usableFromInline var peerReplica: ReplicaID?
  /// Whether the peer writes as the same replica.
  @usableFromInline var isNamesake = false
  /// The version that the peer is known to have.
  @usableFromInline var peerVersion: VersionVector = [:]
  /// The additional version that the peer has once everything under way arrives.
  @usableFromInline var sentVersion: VersionVector = [:]
  /// The protocol version that both sides speak.
  var protocolVersion = Hello.versions.lowerBound
  @usableFromInline var parcels = ParcelState()
  /// The routes to the root of the tree: the peer's, and the one sent to it.
  @usableFromInline var route: TreeRoute?
  var routeTold: TreeRoute?
  /// The number of routes sent to the peer since the last flush.
  var routesTold = 0
  /// The versions that the two sides have announced.
  var announced = AnnouncedVersion()
  var peerAnnounced = AnnouncedVersion()
  /// Whether the peer's request for missing events is not fully answered.
  @usableFromInline var isPulled = false
  /// Whether a request was answered since the last flush, and whether the answer to
  /// another waits for the next.
  ///
  /// Answers are limited because a request costs the peer few bytes, and the answer costs
  /// this side many.
  var hasAnswered = false
  @usableFromInline var isHeldBack = false
  /// The version for which the peer was sent the digest of the contents here.
  @usableFromInline var digestTold: VersionVector?
  /// The version for which the peer has sent an equal digest.
  @usableFromInline var agreedVersion: VersionVector?
  /// The agreed limit of unacknowledged bytes of a transfer.
  var windowBytes = 0
  /// The version that is being received.
  var headList: HeadList?
  /// The peer's progress of a transfer when its stream broke.
  var partial: PartialTransfer?
  var incoming: IncomingTransfer?
  /// The name of the last received transfer.
  var received: UInt64 = 0
  var outgoing: OutgoingTransfer?
  /// Whether to check if there are events for the next transfer.
  @usableFromInline var isTransferDue = false
  var hasAskedAgain = false
  var timesAskedAgain = 0
  /// The replicas for which all events were requested on this stream.
  var askedForAll: Set<ReplicaID> = []
  /// Whether the peer's whole contents were requested on this stream because they differ,
  /// and whether they have yet to arrive.
  var hasAskedForContents = false
  @usableFromInline var awaitsContents = false
  /// How many times skipped deltas were requested again on this stream.
  var timesPassedOver = 0
  /// The number of lines that were renamed because of the peer's data on this stream.
  var linesMended = 0
  /// The memory that the peer's data may still take on this stream, in bytes.
  @usableFromInline var memoryLeft: Int
  /// Whether the value was found to be too large to be counted again on this stream.
  @usableFromInline var holdsMuch = false
  /// The memory of the data that was read last, in bytes.
  @usableFromInline var memoryTaken = 0

  @usableFromInline
  init(limits: SyncLimits, document: DocumentID?) {
    self.limits = limits
    memoryLeft = limits.maximumMemoryBytes
    self.document = document.map { DocumentIdentity($0) }
  }

  /// An event for the session to handle.
  @usableFromInline
  enum Event: Sendable {
    case send([UInt8])
    /// The peer has sent its version, at first or with a request.
    case learnedHeads(ColumnHeads, isHello: Bool)
    /// A transfer is complete.
    case received([UInt8])
    /// A parcel has arrived, and the reader is at its content.
    ///
    /// Names start over with the first parcel after this side has sent its version.
    case parcel(ByteReader, isFirst: Bool)
    /// The digest of the peer's contents, with its total event count.
    case digest(ShortDigest, eventCount: UInt64)
  }
}

extension PeerLink {
  @usableFromInline
  var maximumReplicas: Int { limits.maximumReplicas }

  @usableFromInline
  var isConnected: Bool { phase != .idle }

  @usableFromInline
  var isOpen: Bool { phase == .open }

  /// Whether the peer is in the middle of sending a version or a transfer.
  @usableFromInline
  var isReceiving: Bool { headList != nil || incoming?.isActive == true }

  /// Whether a transfer or parcels to the peer are unacknowledged.
  @usableFromInline
  var isSending: Bool { outgoing != nil || parcels.isUnderWay }

  /// Whether a transfer is under way that another stream could continue.
  @usableFromInline
  var isTransferring: Bool { outgoing != nil }

  @usableFromInline
  var mayBegin: Bool { isTransferDue && phase == .open && outgoing == nil && hasParcelRoom }

  /// Starts the exchange on a new stream, and returns the frames that greet the peer.
  @usableFromInline
  mutating func connect(
    as replica: ReplicaID, typeCode: [UInt8], heads: ColumnHeads
  ) throws(SyncFailure) -> [[UInt8]] {
    disconnect()
    peerDocument = nil
    guard heads.heads.count <= limits.maximumReplicas else {
      throw .tooManyReplicas(heads.heads.count, max: limits.maximumReplicas)
    }
    phase = .greeting
    parcels.heard = KnownHeads(heads)
    announced = AnnouncedVersion(heads.version)
    self.replica = replica
    self.typeCode = typeCode
    let hello = Hello(
      typeCode: typeCode, replica: replica, windowBytes: limits.windowBytes,
      partial: incoming.map(PartialTransfer.init), document: document)
    let bodies = heads.bodies(after: hello.encode, bytesMax: limits.maximumFrameBytes)
    return frames(.hello, bodies)
  }

  /// Forgets the stream, but keeps the transfers that another stream can continue.
  @usableFromInline
  mutating func disconnect() {
    phase = .idle
    assembler = FrameAssembler()
    framesSent = 0
    peerReplica = nil
    headList = nil
    partial = nil
    isTransferDue = false
    incoming?.isActive = false
    hasAskedAgain = false
    timesAskedAgain = 0
    askedForAll = []
    hasAskedForContents = false
    timesPassedOver = 0
    linesMended = 0
    memoryLeft = limits.maximumMemoryBytes
    holdsMuch = false
    awaitsContents = false
    parcels = ParcelState()
    sentVersion = peerVersion
    route = nil
    routeTold = nil
    routesTold = 0
    isPulled = false
    hasAnswered = false
    isHeldBack = false
    digestTold = nil
    agreedVersion = nil
  }

  /// Adds a version to that of the peer.
  mutating func learnPeerHas(_ version: VersionVector) {
    peerVersion.note(version)
    sentVersion.note(version)
  }

  /// Sets the number of a replica's events that the peer has just announced; it may be
  /// lower after the peer has mended a fork.
  @usableFromInline
  mutating func correctPeerHas(_ replica: ReplicaID, _ seen: UInt64) {
    guard peerVersion[replica] > seen else { return }
    peerVersion[replica] = seen
    sentVersion[replica] = seen
  }

  /// Notes that the peer's events of some replicas are unknown.
  @usableFromInline
  mutating func forgetPeerHas(_ replicas: [ReplicaID]) {
    guard !replicas.isEmpty else { return }
    let none = ContiguousArray(replicas.sorted().map { VersionVector.Entry($0, 0) })
    peerVersion.replace(with: none)
    sentVersion.replace(with: none)
    isTransferDue = true
  }

  /// Counts the lines that were renamed because of received data.
  ///
  /// Each costs the peer a few bytes, and costs this side a pass over all rows.
  @usableFromInline
  mutating func noteMended(_ count: Int) throws(SyncFailure) {
    linesMended += count
    guard linesMended <= 4 * Reissue.countMax else { throw .violation("forks without end") }
  }

  /// The frame that tells the peer why the exchange ends; `nil` if the peer knows.
  @usableFromInline
  mutating func goodbye(_ failure: SyncFailure) -> [UInt8]? {
    guard failure.kind != .endedByPeer else { return nil }
    return frame(.goodbye, [failure.kind.rawValue])
  }

  mutating func frame(_ kind: Frame.Kind, _ body: [UInt8]) -> [UInt8] {
    defer { framesSent += 1 }
    return Frame(kind: kind.rawValue, body: body).encoded(number: framesSent)
  }

  mutating func frame(_ kind: Frame.Kind, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return frame(kind, writer.finish())
  }

  /// The frames of a version: the first has the given kind, the others continue it.
  mutating func frames(_ kind: Frame.Kind, _ bodies: [[UInt8]]) -> [[UInt8]] {
    bodies.indices.map { frame($0 == 0 ? kind : .heads, bodies[$0]) }
  }
}
