/// The part of a peer session that knows nothing of the value's type: frames,
/// transfers, and who has which version.
///
/// The session hands it bytes and gets ``Event``s; what needs the value it does
/// itself.
@usableFromInline
struct PeerLink: Sendable {
  enum Phase: Sendable {
    /// There is no stream, or nothing more to be done with it.
    case idle
    /// A hello was sent, and the peer's has not wholly come.
    case greeting
    case open
  }

  @usableFromInline let limits: SyncLimits
  /// The document that this side has a copy of, where it is known.
  var document: DocumentIdentity?
  /// The one that the peer has said it has a copy of, on this stream or the last; `nil`
  /// where it has said nothing, and within that where it knows none.
  var peerDocument: DocumentIdentity??
  var phase = Phase.idle
  var assembler = FrameAssembler()
  var framesSent: UInt64 = 0
  /// Who this side said it is.
  var replica = ReplicaID(0)
  var typeCode: [UInt8] = []
  @usableFromInline var peerReplica: ReplicaID?
  /// Whether the peer writes as the same replica.
  @usableFromInline var isNamesake = false
  /// What the peer is known to have.
  @usableFromInline var peerVersion: VersionVector = [:]
  /// What it will have besides when all that is under way has come.
  @usableFromInline var sentVersion: VersionVector = [:]
  /// The version of the protocol that both sides speak.
  var protocolVersion = Hello.versions.lowerBound
  @usableFromInline var parcels = ParcelTraffic()
  /// The ways to the root of the tree: the peer's, and the one it was told.
  @usableFromInline var route: TreeRoute?
  var routeTold: TreeRoute?
  /// How many ways the peer was told since the last flush.
  var routesTold = 0
  /// What the two sides have said that they have seen.
  var announced = AnnouncedVersion()
  var peerAnnounced = AnnouncedVersion()
  /// Whether the peer has asked for what it lacks, and has not been sent all of it.
  @usableFromInline var isPulled = false
  /// Whether a plea was answered since the last flush; and whether the answer to another
  /// one waits for the next, since each costs the peer a few bytes and this side many.
  var hasAnswered = false
  @usableFromInline var isHeldBack = false
  /// The version for which the peer was told what the contents here come to.
  @usableFromInline var digestTold: VersionVector?
  /// The version for which it has told the same.
  @usableFromInline var agreedVersion: VersionVector?
  /// How many bytes of a transfer may be under way, as agreed.
  var windowBytes = 0
  /// The version that is coming in.
  var headList: HeadList?
  /// How far the peer says that a transfer had come when its stream broke.
  var partial: PartialTransfer?
  var incoming: IncomingTransfer?
  /// The name of the transfer that came last.
  var received: UInt64 = 0
  var outgoing: OutgoingTransfer?
  /// Whether it is time to see if there is something for the next transfer.
  @usableFromInline var isTransferDue = false
  var hasAskedAgain = false
  var timesAskedAgain = 0
  /// The replicas all of whose events the peer was asked for, on this stream.
  var askedForAll: Set<ReplicaID> = []
  /// Whether the peer was asked for all that it holds, on this stream, since it differs; and
  /// whether that has yet to come.
  var hasAskedForContents = false
  @usableFromInline var awaitsContents = false
  /// How often the peer was asked anew for what was passed over, on this stream.
  var timesPassedOver = 0
  /// How many lines of events got other names by what the peer has sent, on this stream.
  var linesMended = 0
  /// How much memory what the peer sends may still take, on this stream.
  @usableFromInline var memoryLeft: Int
  /// Whether what the value holds was found to take too much to be counted again, on this
  /// stream.
  @usableFromInline var holdsMuch = false
  /// How much what was read last takes.
  @usableFromInline var memoryTaken = 0

  @usableFromInline
  init(limits: SyncLimits, document: DocumentID?) {
    self.limits = limits
    memoryLeft = limits.memoryBytesMax
    self.document = document.map { DocumentIdentity($0) }
  }

  /// What the session has to see to.
  @usableFromInline
  enum Event: Sendable {
    case send([UInt8])
    /// The peer has told what it has seen: at first, or when it asks again.
    case learnedHeads(ColumnHeads, isHello: Bool)
    /// A transfer has wholly come.
    case received([UInt8])
    /// A parcel has come: the reader stands before what it says. Names begin anew with
    /// the first one since a version that was told here.
    case parcel(ByteReader, isFirst: Bool)
    /// What the peer's contents come to, which has seen so many events in all.
    case digest(ShortDigest, eventCount: UInt64)
  }
}

extension PeerLink {
  @usableFromInline
  var replicasMax: Int { limits.replicasMax }

  @usableFromInline
  var isConnected: Bool { phase != .idle }

  @usableFromInline
  var isOpen: Bool { phase == .open }

  /// Whether the peer has begun to send what has not wholly come.
  @usableFromInline
  var isReceiving: Bool { headList != nil || incoming?.isActive == true }

  /// Whether a transfer is under way to the peer.
  @usableFromInline
  var isSending: Bool { outgoing != nil || parcels.isUnderWay }

  /// Whether a transfer is under way that another stream can go on with.
  @usableFromInline
  var isTransferring: Bool { outgoing != nil }

  @usableFromInline
  var mayBegin: Bool { isTransferDue && phase == .open && outgoing == nil && hasParcelRoom }

  /// Begins on a new stream: gives the frames that greet the peer.
  @usableFromInline
  mutating func connect(
    as replica: ReplicaID, typeCode: [UInt8], heads: ColumnHeads
  ) throws(SyncFailure) -> [[UInt8]] {
    disconnect()
    peerDocument = nil
    guard heads.heads.count <= limits.replicasMax else {
      throw .tooManyReplicas(heads.heads.count, max: limits.replicasMax)
    }
    phase = .greeting
    parcels.heard = ToldHeads(heads)
    announced = AnnouncedVersion(heads.version)
    self.replica = replica
    self.typeCode = typeCode
    let hello = Hello(
      typeCode: typeCode, replica: replica, windowBytes: limits.windowBytes,
      partial: incoming.map(PartialTransfer.init), document: document)
    let bodies = heads.bodies(after: hello.encode, bytesMax: limits.frameBytesMax)
    return frames(.hello, bodies)
  }

  /// Forgets the stream, but not the transfers that another can go on with.
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
    memoryLeft = limits.memoryBytesMax
    holdsMuch = false
    awaitsContents = false
    parcels = ParcelTraffic()
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

  /// Notes what the peer has.
  mutating func learnPeerHas(_ version: VersionVector) {
    peerVersion.note(version)
    sentVersion.note(version)
  }

  /// Notes how many of a replica's events the peer has, as it has just said: less than it
  /// had told, where it has mended a fork since.
  @usableFromInline
  mutating func correctPeerHas(_ replica: ReplicaID, _ seen: UInt64) {
    guard peerVersion[replica] > seen else { return }
    peerVersion[replica] = seen
    sentVersion[replica] = seen
  }

  /// Notes that what the peer has of some replicas' events isn't known.
  @usableFromInline
  mutating func forgetPeerHas(_ replicas: [ReplicaID]) {
    guard !replicas.isEmpty else { return }
    let none = ContiguousArray(replicas.sorted().map { VersionVector.Entry($0, 0) })
    peerVersion.replace(with: none)
    sentVersion.replace(with: none)
    isTransferDue = true
  }

  /// Notes how many more lines of events got other names by what has come.
  ///
  /// Each costs the peer a few bytes, and a pass over all rows here.
  @usableFromInline
  mutating func noteMended(_ count: Int) throws(SyncFailure) {
    linesMended += count
    guard linesMended <= 4 * Reissue.countMax else { throw .violation("forks without end") }
  }

  /// The frame that tells the peer why nothing more will come; nil where it
  /// knows.
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

  /// The frames of a version: the first of its kind, the others with more heads.
  mutating func frames(_ kind: Frame.Kind, _ bodies: [[UInt8]]) -> [[UInt8]] {
    bodies.indices.map { frame($0 == 0 ? kind : .heads, bodies[$0]) }
  }
}
