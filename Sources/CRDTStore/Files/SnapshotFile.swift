import CRDTKit

/// A document as a whole, in a file that is written once.
///
/// After the file's head stands a frame that says how long the document's bytes
/// are and what checksum ends them; then they follow, as they are exchanged
/// anywhere.
struct SnapshotFile {
  /// The first segment whose changes the document doesn't have.
  var firstLiveSegment: UInt64
  /// What is kept beside the document.
  var identity: StoreIdentity
  /// The rules of the document's fields, for when the manifest is lost.
  var schema: Schema
  var documentSize: UInt64
  /// The last four of the document's bytes, which are its checksum; where they are
  /// sealed, that of what is.
  var documentChecksum: UInt32
  /// What the store keeps for itself.
  var local: LocalValues
  /// The line of history as of the beginning of that segment.
  var line: UInt64 = 0
}

extension SnapshotFile {
  /// How many bytes a document may take in a file.
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
