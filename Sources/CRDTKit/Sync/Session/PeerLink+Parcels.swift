extension PeerLink {
  /// Whether the peer understands parcels.
  @usableFromInline
  var speaksParcels: Bool { protocolVersion >= 2 }

  /// Whether what is due may go in a parcel, as far as is known.
  @usableFromInline
  var takesParcels: Bool { speaksParcels && !parcels.needsTransfer }

  /// Whether parcels are under way, after which alone a transfer may begin.
  @usableFromInline
  var isAwaitingParcels: Bool { parcels.isUnderWay }

  /// Notes that what is due takes a transfer.
  @usableFromInline
  mutating func noteTooLong() { parcels.needsTransfer = true }

  /// How long a parcel may be.
  @usableFromInline
  var parcelBytesMax: Int { min(limits.frameBytesMax, windowBytes) }

  /// Whether there is room in the window for a parcel.
  var hasParcelRoom: Bool {
    guard parcels.isUnderWay else { return true }
    return !parcels.needsTransfer && parcels.bytesUnderWay + parcelBytesMax <= windowBytes
  }

  /// Begins the body of a parcel, with how many of the peer's were taken in.
  @usableFromInline
  func beginParcel(in writer: inout ByteWriter) {
    writer.write(varint: parcels.untold << 1 | (parcels.restarts ? 1 : 0))
    if parcels.restarts { writer.write(varint: parcels.restartsHeard) }
  }

  /// Sends a parcel.
  @usableFromInline
  mutating func sendParcel(_ body: [UInt8], news: VersionVector) -> [UInt8] {
    parcels.send(news, bytes: body.count)
    parcels.untold = 0
    sentVersion.note(news)
    return frame(.parcel, body)
  }

  /// Notes that a parcel was taken in, of which the peer is to be told.
  @usableFromInline
  mutating func tookParcel(news: VersionVector) {
    learnPeerHas(news)
    parcels.untold += 1
  }

  /// The frame that tells the peer which parcels were taken in; `nil` if it was told.
  @usableFromInline
  mutating func nextTakenFrame() -> [UInt8]? {
    guard parcels.untold > 0 else { return nil }
    let count = parcels.untold
    parcels.untold = 0
    return frame(.taken) { $0.write(varint: count) }
  }

  mutating func takeParcel(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    guard speaksParcels, incoming?.isActive != true else {
      throw .violation("a parcel at the wrong time")
    }
    var reader = ByteReader(body)
    let head = try takeNumber(&reader)
    try acknowledgeParcels(head >> 1)
    let isFirst = head & 1 == 1
    if isFirst {
      let count = try takeNumber(&reader)
      guard parcels.isPassingOver, count > 0, count <= parcels.restartsTold else {
        throw .violation("a parcel that begins anew, unasked")
      }
      // One that begins at an earlier version was sent before the last one came.
      parcels.isPassingOver = count < parcels.restartsTold
    }
    return parcels.isPassingOver ? nil : .parcel(reader, isFirst: isFirst)
  }

  mutating func takeTaken(_ body: [UInt8]) throws(SyncFailure) {
    var reader = ByteReader(body)
    let count = try takeNumber(&reader)
    try end(reader)
    guard count > 0 else { throw .violation("taking in no parcels") }
    try acknowledgeParcels(count)
  }

  private mutating func acknowledgeParcels(_ count: UInt64) throws(SyncFailure) {
    guard count > 0 else { return }
    guard let taken = parcels.acknowledge(count) else {
      throw .violation("taking in parcels that were not sent")
    }
    for parcel in taken { peerVersion.note(parcel.news) }
    isTransferDue = true
  }
}

/// The parcels of one stream: what each side was told by them, and which are under way.
@usableFromInline
struct ParcelTraffic: Sendable {
  /// What one parcel brings.
  struct Parcel: Sendable {
    let news: VersionVector
    let bytes: Int
  }

  /// What the peer was told, and what it has told.
  @usableFromInline var told = ToldHeads()
  @usableFromInline var heard = ToldHeads()
  /// What was sent, in order; the first ones may have been acknowledged.
  private var sent: [Parcel] = []
  private var acknowledged = 0
  private(set) var bytesUnderWay = 0
  /// How many were taken in here of which the peer has not been told.
  var untold: UInt64 = 0
  /// Whether the next parcel is the first after the peer told its version anew.
  @usableFromInline var restarts = false
  /// How many times the peer has told its version anew, and how many times this side has.
  var restartsHeard: UInt64 = 0
  var restartsTold: UInt64 = 0
  /// Whether parcels are passed over until one that goes on from the version that was
  /// told here last.
  var isPassingOver = false
  /// Whether what is to be sent next is too long for a parcel.
  var needsTransfer = false

  /// Whether there are some that the peer has not acknowledged.
  var isUnderWay: Bool { sent.count > acknowledged }

  /// Notes one that is sent.
  mutating func send(_ news: VersionVector, bytes: Int) {
    sent.append(Parcel(news: news, bytes: bytes))
    bytesUnderWay += bytes
    restarts = false
  }

  /// Takes off the first ones, which the peer has taken in; gives what they brought, or
  /// `nil` where there are not so many.
  mutating func acknowledge(_ count: UInt64) -> ArraySlice<Parcel>? {
    guard count <= UInt64(sent.count - acknowledged) else { return nil }
    let taken = sent[acknowledged..<acknowledged + Int(count)]
    acknowledged += taken.count
    bytesUnderWay -= taken.reduce(0) { $0 + $1.bytes }
    // Only when half of them are done with: so each is moved once at most.
    if acknowledged > sent.count / 2 {
      sent.removeFirst(acknowledged)
      acknowledged = 0
    }
    return taken
  }

  /// The peer has told its version anew: begins there.
  mutating func restart(telling heads: ColumnHeads) {
    sent = []
    acknowledged = 0
    bytesUnderWay = 0
    told = ToldHeads(heads)
    restarts = true
    restartsHeard += 1
    needsTransfer = false
  }

  /// This side tells its version anew: passes over what is under way.
  mutating func restart(hearingSince heads: ColumnHeads) {
    heard = ToldHeads(heads)
    untold = 0
    restartsTold += 1
    isPassingOver = true
  }
}
