import CRDTKit

/// The segment that is being written.
///
/// Only the thread with the right to write uses it.
struct SegmentLog {
  let folder: StoreFolder
  let store: UInt64
  private(set) var number: UInt64
  private(set) var size: Int
  private var file: StoreFile
  /// The version of the segment's format, which says whether it is sealed.
  ///
  /// An older build may have begun the segment.
  private var version: UInt8
  /// The line of history that sealed frames belong to.
  let line: UInt64

  /// Continues a segment whose bytes end properly.
  init(
    _ file: StoreFile, in folder: StoreFolder, number: UInt64, size: Int, of store: UInt64,
    version: UInt8, line: UInt64
  ) {
    self.folder = folder
    self.store = store
    self.number = number
    self.size = size
    self.file = file
    self.version = version
    self.line = line
  }

  func close() {
    file.close()
  }

  /// Writes a frame, which is room for its head and then a batch, and waits until it is
  /// durable.
  mutating func append(_ frame: inout [UInt8]) throws(StoreError) {
    var head = FileHead(kind: .segment, store: store, number: number)
    head.version = version
    if head.isSealed {
      let body = try folder.sealedBody(
        Array(frame[Frame.headSize...]), at: UInt32(truncatingIfNeeded: size), line: line,
        in: head, at: file.path)
      frame.replaceSubrange(Frame.headSize..., with: body)
    }
    guard frame.count - Frame.headSize <= Frame.bodySizeMax else {
      throw .tooLarge(bytes: frame.count, max: Frame.bodySizeMax)
    }
    frame.withUnsafeMutableBytes { Frame.seal($0, at: size, in: head) }
    do throws(StoreError) { try file.write(frame, at: size) } catch {
      // Part of the frame may be there. Opening the store would set it aside, for which a
      // full disk has no room. The commit was not acknowledged, so truncate the part.
      _ = try? file.truncate(to: size)
      throw error
    }
    try file.synchronize()
    size += frame.count
  }

  /// Begins a new segment.
  mutating func rotate(
    version: VersionVector, document: DocumentIdentity?
  ) throws(StoreError) {
    let (next, nextSize) = try folder.createSegment(
      number + 1, of: store, line: line,
      after: SegmentHead(previousSize: UInt64(size), version: version, document: document))
    file.close()
    file = next
    number += 1
    size = nextSize
    self.version = folder.sealing == nil ? FileHead.version : FileHead.sealedVersion
  }
}
