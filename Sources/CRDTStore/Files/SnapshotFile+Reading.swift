import CRDTKit

extension SnapshotFile {
  /// Reads a snapshot, if it is there: its head, and the document.
  static func read(
    _ number: UInt64, in folder: StoreFolder
  ) throws(StoreError) -> (head: FileHead, snapshot: SnapshotFile, document: Document)? {
    let name = FileNames.snapshot(number)
    guard let file = try folder.open(name, in: folder.snapshots, for: .reading) else { return nil }
    defer { file.close() }
    let size = try file.size()
    let start = try file.readFirstFrame(of: size)
    let (head, body) = try StoreContents.decoding(name, in: folder.snapshots, folder) {
      () throws(DecodingFailure) in try headFrame(of: start)
    }
    let snapshot = try folder.opened(body, of: start, in: head, at: file.path)
      .decode(at: file.path) { (reader) throws(DecodingFailure) in
        try SnapshotFile(from: &reader, in: head)
      }
    let documentStart = body.upperBound
    guard head.number == number, UInt64(size - documentStart) == snapshot.documentSize else {
      throw .damaged(
        path: file.path, offset: size,
        reason: "it should have \(snapshot.documentSize) bytes after byte \(documentStart)")
    }
    guard snapshot.documentSize <= documentSizeMax else {
      throw .damaged(
        path: file.path, offset: documentStart,
        reason: "there are \(snapshot.documentSize) bytes, and \(documentSizeMax) may be")
    }
    let damage = StoreError.damaged(
      path: file.path, offset: max(0, size - 4), reason: "the checksum is another")
    // So many bytes are looked through before there is room made for them.
    if size - documentStart > StoreFile.tailSizeMax,
      try file.checksum(of: documentStart..<size - 4) != snapshot.documentChecksum
    {
      throw damage
    }
    let stored = try file.read(documentStart..<size)
    guard checksum(of: stored) == snapshot.documentChecksum else { throw damage }
    let bytes = try folder.openedContent(
      stored, of: snapshot.firstLiveSegment, in: head, at: file.path, offset: documentStart)
    do throws(DecodingFailure) {
      return (head, snapshot, try Document(decoding: bytes))
    } catch {
      // What says that it is newer may itself be damaged.
      let isWhole =
        head.isSealed
        || bytes.withUnsafeBytes { bytes in
          CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes.dropLast(4)))
        } == snapshot.documentChecksum
      let failure = isWhole ? error : DecodingFailure(.damaged, at: error.offset)
      throw StoreError(failure, path: file.path, at: documentStart)
    }
  }
}

extension FileHead {
  /// How many bytes the head and the first frame take, as the frame's length says.
  static func frameSize(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= size + Frame.headSize else { return nil }
    let length = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self))
    return size + Frame.headSize + Int(length)
  }
}
