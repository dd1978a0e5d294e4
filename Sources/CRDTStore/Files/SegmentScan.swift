import CRDTKit

/// The first frame of a segment: how it goes on from the one before.
struct SegmentHead: Equatable {
  /// How many bytes the segment before has; 0 where there is none.
  var previousSize: UInt64
  /// The version of the document before the segment's first change.
  var version: VersionVector
  /// The document that the store had a copy of, for when the manifest is lost.
  var document: DocumentIdentity?

  /// The body of the frame.
  var encodedBody: ByteWriter {
    var body = ByteWriter()
    body.write(varint: previousSize)
    version.encode(to: &body)
    document.encode(to: &body)
    return body
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    previousSize = try reader.readVarint()
    version = try VersionVector(from: &reader)
    document = reader.formatVersion > 1 ? try DocumentIdentity?(from: &reader) : nil
    guard reader.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: reader.offset)
    }
  }

  init(previousSize: UInt64, version: VersionVector, document: DocumentIdentity?) {
    self.previousSize = previousSize
    self.version = version
    self.document = document
  }
}

/// One entry of a store's log.
enum SegmentRecord: Sendable {
  /// The document changed: by a commit here, or by a delta from elsewhere, which may bring
  /// what mended forks of some replicas.
  case change(TableDelta<Document>, mending: ContiguousArray<ReplicaID> = [])
  /// From here on, changes made here are another replica's, and this is the folder's
  /// identity.
  case replica(ReplicaID, home: UInt64)
  /// From here on, these are the peers and what they have.
  case peers([PeerRecord])
  /// From here on, this is what a peer has.
  case peer(PeerRecord)
  /// From here on, a peer isn't waited for.
  case forgottenPeer(ReplicaID)
  /// The records are now as this version of the app's schema wants them.
  case schemaVersion(UInt64)
  /// The store was closed in good order.
  case end
  /// Values changed that the store keeps for itself.
  case local([LocalChange])
  /// From here on, this is the document that the store has a copy of.
  case document(DocumentIdentity?)
  /// From here on, what is sealed is of this line of history, which goes on from another.
  case line(UInt64, after: UInt64)

  /// The codes that begin the kinds of records.
  enum Code: UInt8 {
    case change = 1
    case replica
    case peers
    case schemaVersion
    case end
    case local
    /// A change in the bytes in which it came.
    case received
    case document
    /// A change that mended forks.
    case mended
    case peer
    case forgottenPeer
    case line
  }
}

/// What the bytes of a segment hold: its frames, and how they end.
struct SegmentScan {
  /// How a segment's frames end.
  enum Ending: Equatable {
    /// With the file.
    case whole
    /// With bytes that are no whole frame, and nothing after them that shows that
    /// they ever were: a batch that was being written when everything stopped.
    case torn
    /// With bytes that are no whole frame, after which there was writing: each
    /// batch is durable before the next is begun, so they were damaged later.
    case damaged
  }

  var file: FileHead
  /// Where the body of the segment's own head is.
  var headBody: Range<Int>
  /// Where the bodies of the batches are.
  var batches: [Range<Int>] = []
  /// Where the last whole frame ends.
  var end: Int
  var ending = Ending.whole

  /// Looks through a segment's bytes, for which nothing needs to be opened.
  ///
  /// - Throws: ``DecodingFailure`` where the file's head or first frame isn't whole.
  init(_ bytes: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    file = try FileHead(from: &reader, kind: .segment)
    let (file, start) = (file, FileHead.size)
    guard let body = bytes.withUnsafeBytes({ Frame.body(at: start, of: $0, in: file) }) else {
      throw DecodingFailure(.damaged, at: start)
    }
    headBody = body
    end = body.upperBound
    bytes.withUnsafeBytes { goThrough($0) }
  }

  /// The segment's own head, and the line of history that it was sealed for.
  func head(
    of bytes: [UInt8], in folder: StoreFolder, at path: String
  ) throws(StoreError) -> (head: SegmentHead, line: UInt64?) {
    let body = try folder.opened(headBody, of: bytes, in: file, at: path)
    let head = try body.decode(at: path) { (reader) throws(DecodingFailure) in
      try SegmentHead(from: &reader)
    }
    return (head, body.line)
  }

  private mutating func goThrough(_ bytes: UnsafeRawBufferPointer) {
    while end < bytes.count {
      guard let body = Frame.body(at: end, of: bytes, in: file) else {
        let isDamaged = hasStrayHead(bytes) || !isCutShort(bytes)
        ending = isDamaged ? .damaged : .torn
        return
      }
      batches.append(body)
      end = body.upperBound
    }
  }

  /// Whether the bytes at the end are what a write may leave that was cut short: no
  /// more than the frame whose head is there.
  ///
  /// Where there is no head, its part of the disk was not written, and what is read
  /// there is whatever stood there before.
  private func isCutShort(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let head = Frame.head(at: end, of: bytes, in: file), head.isInPlace(at: end) else {
      return true
    }
    return bytes.count - end <= Frame.headSize + Int(head.bodySize)
  }

  /// Whether there is the head of a frame that shows that the bytes at the end were
  /// not always there.
  private func hasStrayHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
    nextHead(from: end, in: bytes) != nil
  }

  /// Goes on behind a stretch that is no frame, if there is one behind it: for
  /// those who save what is whole.
  mutating func resume(in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var place = end
      while let next = nextHead(from: place, in: bytes) {
        if let body = Frame.body(at: next, of: bytes, in: file, isMoved: true) {
          end = body.upperBound
          ending = .whole
          batches = [body]
          goThrough(bytes)
          return true
        }
        place = next + 1
      }
      return false
    }
  }

  /// The place of the next head of a frame that was written after the last whole one,
  /// but for one that stands behind that as it should.
  ///
  /// One that was written before shows nothing: a value may hold what looks like it.
  private func nextHead(from offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    var place = offset
    while place <= bytes.count - Frame.headSize {
      if let head = Frame.head(at: place, of: bytes, in: file), Int(head.offset) >= end,
        place > end || !head.isInPlace(at: end)
      {
        return place
      }
      place += 1
    }
    return nil
  }
}
