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
