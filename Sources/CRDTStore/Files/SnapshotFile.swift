import CRDTKit

/// A whole document, in a file that is written once.
///
/// After the file's head comes a frame with the size and the final checksum of the
/// document's bytes. Then come these bytes, in the usual exchange format.
struct SnapshotFile {
  /// The first segment whose changes are not in the document.
  var firstLiveSegment: UInt64
  /// The data that is kept beside the document.
  var identity: StoreIdentity
  /// The rules of the document's fields, in case the manifest is lost.
  var schema: Schema
  var documentSize: UInt64
  /// The last four bytes of the document, which are its checksum.
  ///
  /// If they are sealed, it is the checksum of the bytes before sealing.
  var documentChecksum: UInt32
  /// The values that the store keeps for itself.
  var local: LocalValues
  /// The line of history at the beginning of that segment.
  var line: UInt64 = 0
}

extension SnapshotFile {
  /// The maximum number of bytes of a document in a file.
  static let documentSizeMax = 1 << 32

  /// The body of the frame before the document's bytes.
  func encodedHead(in file: FileHead) -> ByteWriter {
    var body = ByteWriter()
    body.write(varint: firstLiveSegment)
    identity.encode(to: &body)
    schema.encode(to: &body)
    body.write(varint: documentSize)
    body.write(fixed: documentChecksum)
    local.listed.encodeList(to: &body)
    if file.hasLine { body.write(fixed: line) }
    return body
  }

  /// Finds the frame before the document's bytes.
  static func headFrame(
    of bytes: [UInt8]
  ) throws(DecodingFailure) -> (FileHead, body: Range<Int>) {
    var reader = ByteReader(bytes)
    let head = try FileHead(from: &reader, kind: .snapshot)
    guard
      let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: head) })
    else { throw DecodingFailure(.damaged, at: FileHead.size) }
    return (head, body)
  }

  /// Reads the body of the frame before the document's bytes.
  init(from fields: inout ByteReader, in head: FileHead) throws(DecodingFailure) {
    self.init(
      firstLiveSegment: try fields.readVarint(),
      identity: try StoreIdentity(from: &fields), schema: try Schema(from: &fields),
      documentSize: try fields.readVarint(), documentChecksum: try fields.readFixed(UInt32.self),
      local: [:])
    if head.version > 1 { local.apply(try [LocalChange](listFrom: &fields)) }
    if head.hasLine { line = try fields.readFixed(UInt64.self) }
    guard fields.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: fields.offset)
    }
  }

  /// The last four of some bytes, which are their checksum.
  static func checksum(of document: [UInt8]) -> UInt32 {
    document.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension SnapshotFile {
  /// Reads the head and the document of a snapshot, if it exists.
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
    // This many bytes are checked before memory is allocated for them.
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
      // The version that makes it look newer may itself be damaged.
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
  /// The size of the head and the first frame, according to the frame's length.
  static func frameSize(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= size + Frame.headSize else { return nil }
    let length = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self))
    return size + Frame.headSize + Int(length)
  }
}
