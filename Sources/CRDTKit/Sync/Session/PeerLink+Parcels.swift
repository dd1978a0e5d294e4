extension PeerLink {
  /// Whether the peer understands parcels.
  @usableFromInline
  var speaksParcels: Bool { protocolVersion >= 2 }

  /// Whether the pending events may go in a parcel, as far as is known.
  @usableFromInline
  var takesParcels: Bool { speaksParcels && !parcels.needsTransfer }

  /// Whether parcels are unacknowledged; a transfer may only start after they are.
  @usableFromInline
  var isAwaitingParcels: Bool { parcels.isUnderWay }

  /// Notes that the pending events need a transfer.
  @usableFromInline
  mutating func noteTooLong() { parcels.needsTransfer = true }

  /// The greatest length of a parcel, in bytes.
  @usableFromInline
  var parcelBytesMax: Int { min(limits.maximumFrameBytes, windowBytes) }

  /// Whether the window has room for a parcel.
  var hasParcelRoom: Bool {
    guard parcels.isUnderWay else { return true }
    return !parcels.needsTransfer && parcels.bytesUnderWay + parcelBytesMax <= windowBytes
  }

  /// Starts the body of a parcel, with the number of the peer's parcels that were
  /// applied.
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

  /// Notes that a parcel was applied and must be acknowledged.
  @usableFromInline
  mutating func tookParcel(news: VersionVector) {
    learnPeerHas(news)
    parcels.untold += 1
  }

  /// The frame that acknowledges parcels; `nil` if all are acknowledged.
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
      // A parcel from an earlier version was sent before the last one arrived.
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

/// The state of the parcels on one stream: the sent heads, and the unacknowledged
/// parcels.
@usableFromInline
struct ParcelState: Sendable {
  /// The events and the size of one parcel.
  struct Parcel: Sendable {
    let news: VersionVector
    let bytes: Int
  }

  /// The heads that the peer was sent, and the heads that it has sent.
  @usableFromInline var told = KnownHeads()
  @usableFromInline var heard = KnownHeads()
  /// The sent parcels in order; the first ones may be acknowledged.
  private var sent: [Parcel] = []
  private var acknowledged = 0
  private(set) var bytesUnderWay = 0
  /// The number of applied parcels that are not acknowledged yet.
  var untold: UInt64 = 0
  /// Whether the next parcel is the first after the peer sent its version again.
  @usableFromInline var restarts = false
  /// How many times the peer, and how many times this side, has sent its version again.
  var restartsHeard: UInt64 = 0
  var restartsTold: UInt64 = 0
  /// Whether parcels are skipped until one continues from the version that was last sent
  /// from here.
  var isPassingOver = false
  /// Whether the next events are too long for a parcel.
  var needsTransfer = false

  /// Whether any parcels are unacknowledged.
  var isUnderWay: Bool { sent.count > acknowledged }

  /// Adds a sent parcel.
  mutating func send(_ news: VersionVector, bytes: Int) {
    sent.append(Parcel(news: news, bytes: bytes))
    bytesUnderWay += bytes
    restarts = false
  }

  /// Removes the first parcels, which the peer has applied, and returns them; `nil` if
  /// there are not as many.
  mutating func acknowledge(_ count: UInt64) -> ArraySlice<Parcel>? {
    guard count <= UInt64(sent.count - acknowledged) else { return nil }
    let taken = sent[acknowledged..<acknowledged + Int(count)]
    acknowledged += taken.count
    bytesUnderWay -= taken.reduce(0) { $0 + $1.bytes }
    // Remove them only when they are half of the array, so that each is moved at most
    // once.
    if acknowledged > sent.count / 2 {
      sent.removeFirst(acknowledged)
      acknowledged = 0
    }
    return taken
  }

  /// Restarts from the version that the peer has sent again.
  mutating func restart(telling heads: ColumnHeads) {
    sent = []
    acknowledged = 0
    bytesUnderWay = 0
    told = KnownHeads(heads)
    restarts = true
    restartsHeard += 1
    needsTransfer = false
  }

  /// Notes that this side sends its version again, and skips the parcels under way.
  mutating func restart(hearingSince heads: ColumnHeads) {
    heard = KnownHeads(heads)
    untold = 0
    restartsTold += 1
    isPassingOver = true
  }
}
