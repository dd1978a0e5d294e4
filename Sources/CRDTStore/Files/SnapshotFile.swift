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
  /// The last four of the document's bytes, which are its checksum.
  var documentChecksum: UInt32
  /// What the store keeps for itself.
  var local: LocalValues

  /// The bytes that stand before the document's.
  func encodedHead(as head: FileHead) -> [UInt8] {
    var body = ByteWriter()
    body.write(varint: firstLiveSegment)
    identity.encode(to: &body)
    schema.encode(to: &body)
    body.write(varint: documentSize)
    body.write(fixed: documentChecksum)
    local.listed.encodeList(to: &body)
    return head.file(framing: body)
  }

  /// Reads what stands before the document's bytes, and where these begin.
  static func decodeHead(
    _ bytes: [UInt8]
  ) throws(DecodingFailure) -> (FileHead, SnapshotFile, documentStart: Int) {
    var reader = ByteReader(bytes)
    let head = try FileHead(from: &reader, kind: .snapshot)
    guard
      let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: head) })
    else { throw DecodingFailure(.damaged, at: FileHead.size) }
    var fields = ByteReader(bytes, in: body)
    var snapshot = SnapshotFile(
      firstLiveSegment: try fields.readVarint(),
      identity: try StoreIdentity(from: &fields), schema: try Schema(from: &fields),
      documentSize: try fields.readVarint(), documentChecksum: try fields.readFixed(UInt32.self),
      local: [:])
    if head.version > 1 { snapshot.local.apply(try [LocalChange](listFrom: &fields)) }
    guard fields.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: fields.offset)
    }
    return (head, snapshot, body.upperBound)
  }

  /// The checksum that ends a document's bytes.
  static func checksum(of document: [UInt8]) -> UInt32 {
    document.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
