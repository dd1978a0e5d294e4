import CRDTKit

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
