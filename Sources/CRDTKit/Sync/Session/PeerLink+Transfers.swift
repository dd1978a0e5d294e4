extension PeerLink {
  func takeNumber(_ reader: inout ByteReader) throws(SyncFailure) -> UInt64 {
    try SyncFailure.wrap { () throws(DecodingFailure) in try reader.readVarint() }
  }

  func end(_ reader: ByteReader) throws(SyncFailure) {
    guard reader.remaining == 0 else { throw .malformed(reader.failure(.trailingBytes)) }
  }

  mutating func takeOffer(_ body: [UInt8]) throws(SyncFailure) {
    guard incoming?.isActive != true else { throw .violation("a second transfer at once") }
    var reader = ByteReader(body)
    let digest = try SyncFailure.wrap { () throws(DecodingFailure) in
      try reader.readFixed(UInt64.self)
    }
    let total = try takeNumber(&reader)
    let start = try takeNumber(&reader)
    try end(reader)
    guard total > 0 else { throw .violation("a transfer of nothing") }
    let bytesMax = min(limits.maximumTransferBytes, max(0, memoryLeft))
    guard total <= UInt64(bytesMax) else {
      throw .transferTooLarge(bytes: total, max: bytesMax)
    }
    if start == 0 {
      incoming = IncomingTransfer(digest: digest, total: Int(total))
    } else {
      guard let held = incoming, held.digest == digest, UInt64(held.total) == total,
        UInt64(held.bytes.count) == start
      else { throw .violation("going on with a transfer that is not held here") }
      incoming?.isActive = true
      incoming?.reported = held.bytes.count
    }
  }

  mutating func takeData(_ body: [UInt8]) throws(SyncFailure) -> Event? {
    // The transfer is moved out, so that its bytes grow in place.
    guard var transfer = incoming, transfer.isActive else {
      throw .violation("data of no transfer")
    }
    incoming = nil
    let come = transfer.bytes.count
    guard !body.isEmpty, body.count <= transfer.total - come else {
      throw .violation("data that is not in the transfer")
    }
    guard body.count <= windowBytes - (come - transfer.reported) else {
      throw .violation("data beyond the window")
    }
    transfer.bytes.append(contentsOf: body)
    if transfer.isWhole {
      guard transfer.isGenuine else { throw .damaged }
      received = transfer.digest
      return .received(transfer.bytes)
    }
    let report = report(of: &transfer)
    incoming = transfer
    return report
  }

  /// Acknowledges received bytes once half of the window is used.
  private mutating func report(of transfer: inout IncomingTransfer) -> Event? {
    let come = transfer.bytes.count
    guard come - transfer.reported >= max(windowBytes / 2, 1) else { return nil }
    transfer.reported = come
    return .send(frame(.progress) { $0.write(varint: UInt64(come)) })
  }

  mutating func takeProgress(_ body: [UInt8]) throws(SyncFailure) {
    var reader = ByteReader(body)
    let taken = try takeNumber(&reader)
    try end(reader)
    guard let transfer = outgoing, taken > transfer.taken, taken <= transfer.sent else {
      throw .violation("taking what was not sent")
    }
    outgoing?.taken = Int(taken)
  }

  mutating func takeAcknowledgement(_ body: [UInt8]) throws(SyncFailure) {
    var reader = ByteReader(body)
    let digest = try SyncFailure.wrap { () throws(DecodingFailure) in
      try reader.readFixed(UInt64.self)
    }
    try end(reader)
    guard let transfer = outgoing, transfer.isOffered, transfer.digest == digest,
      transfer.sent == transfer.bytes.count
    else { throw .violation("acknowledging what was not sent") }
    learnPeerHas(transfer.version)
    outgoing = nil
    isTransferDue = true
  }
}

extension PeerLink {
  /// Notes that a received transfer was applied, and returns the frame that acknowledges
  /// it.
  ///
  /// The peer is then known to have the events that it sent.
  @usableFromInline
  mutating func acknowledge(base: VersionVector, news: VersionVector) -> [UInt8] {
    learnPeerHas(base)
    learnPeerHas(news)
    let digest = received
    return frame(.acknowledgement) { $0.write(fixed: digest) }
  }

  /// Requests a received delta again, once, relative to the version here.
  @usableFromInline
  mutating func askAgain(
    missing: VersionVector, heads: ColumnHeads
  ) throws(SyncFailure) -> [[UInt8]] {
    guard !hasAskedAgain else { throw .gap(missing: missing) }
    hasAskedAgain = true
    return again(since: heads)
  }

  /// The greatest number of forks for which a stream may request events again.
  static var forksMax: Int { 16 }

  /// Requests all events of a replica with a fork, and all other new events, by sending a
  /// version without them.
  ///
  /// - Throws: ``SyncFailure/fork(_:)`` if they were requested before, or the limit is
  ///   reached.
  @usableFromInline
  mutating func askForAll(
    of forked: ReplicaID, and others: [ReplicaID], heads: ColumnHeads
  ) throws(SyncFailure) -> [[UInt8]] {
    guard speaksParcels, askedForAll.count < Self.forksMax, askedForAll.insert(forked).inserted
    else { throw .fork(forked) }
    forgetPeerHas([forked])
    let others = Set(others)
    let left = heads.heads.filter {
      !askedForAll.contains($0.replica) && !others.contains($0.replica)
    }
    return again(since: ColumnHeads(ContiguousArray(left)))
  }

  /// Requests the peer's whole contents, which differ from those here at the same
  /// version.
  ///
  /// - Throws: ``SyncFailure/differentContents`` if they were requested before.
  @usableFromInline
  mutating func askForContents() throws(SyncFailure) -> [[UInt8]] {
    guard !hasAskedForContents else { throw .differentContents }
    hasAskedForContents = true
    awaitsContents = true
    return again(since: ColumnHeads([]))
  }

  /// Requests the deltas that were skipped while the peer had not mended a fork.
  ///
  /// - Throws: ``SyncFailure/violation(_:)`` if that has happened too often.
  @usableFromInline
  mutating func askForPassedOver(heads: ColumnHeads) throws(SyncFailure) -> [[UInt8]] {
    guard timesPassedOver < Self.forksMax else { throw .violation("forks without end") }
    timesPassedOver += 1
    return again(since: heads)
  }

  private mutating func again(since heads: ColumnHeads) -> [[UInt8]] {
    parcels.restart(hearingSince: heads)
    announced = AnnouncedVersion(heads.version)
    return frames(.again, heads.bodies(after: { _ in }, bytesMax: limits.maximumFrameBytes))
  }

  /// Starts a transfer, or continues the same one from a broken stream.
  @usableFromInline
  mutating func offer(
    _ bytes: [UInt8], base: VersionVector, news: VersionVector, standsAlone: Bool
  ) {
    var transfer = OutgoingTransfer(bytes, base: base, news: news, standsAlone: standsAlone)
    if let partial, transfer.isContinued(by: partial) { transfer.restart(at: partial) }
    partial = nil
    outgoing = transfer
    parcels.needsTransfer = false
  }

  /// The next frame of the current transfer, if the window has room.
  @usableFromInline
  mutating func nextTransferFrame() -> [UInt8]? {
    guard phase == .open, let transfer = outgoing else { return nil }
    guard transfer.isOffered else {
      outgoing?.isOffered = true
      return frame(.offer) { writer in
        writer.write(fixed: transfer.digest)
        writer.write(varint: UInt64(transfer.bytes.count))
        writer.write(varint: UInt64(transfer.sent))
      }
    }
    let room = windowBytes - (transfer.sent - transfer.taken)
    let count = min(room, limits.maximumFrameBytes, transfer.bytes.count - transfer.sent)
    guard count > 0 else { return nil }
    outgoing?.sent += count
    return frame(.data, Array(transfer.bytes[transfer.sent..<transfer.sent + count]))
  }
}
