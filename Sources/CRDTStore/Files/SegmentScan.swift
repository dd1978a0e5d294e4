import CRDTKit

/// The first frame of a segment, which connects it to the previous segment.
struct SegmentHead: Equatable {
  /// The size of the previous segment; 0 if there is none.
  var previousSize: UInt64
  /// The version of the document before the segment's first change.
  var version: VersionVector
  /// The document that the store had a copy of, in case the manifest is lost.
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
  /// The document changed, by a commit here or by a delta from elsewhere, which may have
  /// mended the forks of some replicas.
  case change(TableDelta<Document>, mending: ContiguousArray<ReplicaID> = [])
  /// From here on, changes made here belong to another replica, and this is the folder's
  /// identity.
  case replica(ReplicaID, home: UInt64)
  /// From here on, these are the peers and their versions.
  case peers([PeerRecord])
  /// From here on, this is the version of a peer.
  case peer(PeerRecord)
  /// From here on, the store doesn't wait for a peer.
  case forgottenPeer(ReplicaID)
  /// The records were migrated to this version of the app's schema.
  case schemaVersion(UInt64)
  /// The store was closed properly.
  case end
  /// Values that the store keeps for itself changed.
  case local([LocalChange])
  /// From here on, this is the document that the store has a copy of.
  case document(DocumentIdentity?)
  /// From here on, frames are sealed for this line of history, which continues another.
  case line(UInt64, after: UInt64)

  /// The codes that the kinds of records begin with.
  enum Code: UInt8 {
    case change = 1
    case replica
    case peers
    case schemaVersion
    case end
    case local
    /// A change in the bytes in which it was received.
    case received
    case document
    /// A change that mended forks.
    case mended
    case peer
    case forgottenPeer
    case line
  }
}

/// The frames in a segment's bytes, and how they end.
struct SegmentScan {
  /// How a segment's frames end.
  enum Ending: Equatable {
    /// The last frame ends the file.
    case whole
    /// The last frame is followed by bytes that are no whole frame and, as far as later
    /// bytes show, never were: a batch that was being written when everything stopped.
    case torn
    /// Bytes that are no whole frame are followed by later writes.
    ///
    /// Each batch is durable before the next is begun, so the bytes were damaged later.
    case damaged
  }

  var file: FileHead
  /// The range of the body of the segment's own head.
  var headBody: Range<Int>
  /// The ranges of the bodies of the batches.
  var batches: [Range<Int>] = []
  /// The end of the last whole frame.
  var end: Int
  var ending = Ending.whole
  /// The bytes of bodies that were looked at to continue after damage.
  private(set) var bytesLookedAt = 0

  /// Scans a segment's bytes without opening anything sealed.
  ///
  /// - Throws: ``DecodingFailure`` if the file's head or first frame isn't whole.
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

  /// Whether an interrupted write may have left the bytes at the end: they are no more than
  /// the frame whose head is there.
  ///
  /// If there is no head, that part of the disk was not written, and reads as whatever was
  /// there before.
  private func isCutShort(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let head = Frame.head(at: end, of: bytes, in: file), head.isInPlace(at: end) else {
      return true
    }
    return bytes.count - end <= Frame.headSize + Int(head.bodySize)
  }

  /// Whether there is the head of a frame that shows that the bytes at the end were changed
  /// later.
  private func hasStrayHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
    nextHead(from: end, in: bytes) != nil
  }

  /// Continues after a part that is no frame, if a frame follows: for salvaging.
  ///
  /// - Complexity: O(n): the bodies that are looked at have at most 64 times as many bytes
  ///   as the file, whatever somebody has written there.
  mutating func resume(in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var place = end
      while let next = nextHead(from: place, in: bytes) {
        let size = Frame.head(at: next, of: bytes, in: file).map { Int($0.bodySize) } ?? 0
        bytesLookedAt += min(size, bytes.count)
        guard bytesLookedAt / 64 <= bytes.count else { return false }
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

  /// The offset of the next head of a frame that was written after the last whole one,
  /// except for a head at its proper offset directly after it.
  ///
  /// A head that was written before shows nothing: a value may hold bytes that look like
  /// one.
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
