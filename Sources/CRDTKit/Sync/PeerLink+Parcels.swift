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
