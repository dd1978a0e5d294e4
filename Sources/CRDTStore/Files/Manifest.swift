import CRDTKit

/// What a store's folder holds, and all that is kept beside the document: the file
/// that is read first, and replaced as a whole.
struct Manifest: Equatable {
  /// Who writes, as of the beginning of the first live segment.
  var identity: StoreIdentity
  /// The rules of the document's fields.
  var schema: Schema
  /// The number of the snapshot that the document begins with; 0 where it begins
  /// empty.
  var snapshot: UInt64
  /// The first segment whose changes the snapshot doesn't have.
  var firstLiveSegment: UInt64
  /// The first segment that is there at all.
  var firstSegment: UInt64
}

extension Manifest {
  /// The bytes of the whole file.
  func encoded(as head: FileHead) -> [UInt8] {
    var body = ByteWriter()
    identity.encode(to: &body)
    schema.encode(to: &body)
    body.write(varint: snapshot)
    body.write(varint: firstLiveSegment)
    body.write(varint: firstSegment)
    return head.file(framing: body)
  }

  /// Reads the bytes of the whole file.
  static func decode(_ bytes: [UInt8]) throws(DecodingFailure) -> (FileHead, Manifest) {
    var reader = ByteReader(bytes)
    let head = try FileHead(from: &reader, kind: .manifest)
    var body = try head.onlyFrame(of: bytes)
    let identity = try StoreIdentity(from: &body)
    let schema = try Schema(from: &body)
    let manifest = Manifest(
      identity: identity, schema: schema, snapshot: try body.readVarint(),
      firstLiveSegment: try body.readVarint(), firstSegment: try body.readVarint())
    guard body.remaining == 0, manifest.firstSegment > 0,
      manifest.firstSegment <= manifest.firstLiveSegment
    else { throw DecodingFailure(.invalidValue("the manifest makes no sense"), at: body.offset) }
    return (head, manifest)
  }
}

extension FileHead {
  /// A file of this head and one frame.
  func file(framing body: borrowing ByteWriter) -> [UInt8] {
    var writer = ByteWriter(capacity: body.count + 64)
    encode(to: &writer)
    for _ in 0..<Frame.headSize { writer.write(0 as UInt8) }
    body.withBytes { writer.write($0) }
    var bytes = writer.finish()
    bytes.withUnsafeMutableBytes { bytes in
      Frame.seal(
        UnsafeMutableRawBufferPointer(rebasing: bytes[FileHead.size...]), at: FileHead.size,
        in: self)
    }
    return bytes
  }

  /// Reads the body of the one frame that makes up the rest of a file.
  func onlyFrame(of bytes: [UInt8]) throws(DecodingFailure) -> ByteReader {
    guard let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: self) })
    else { throw DecodingFailure(.damaged, at: FileHead.size) }
    guard body.upperBound == bytes.count else {
      throw DecodingFailure(.trailingBytes, at: body.upperBound)
    }
    return ByteReader(bytes, in: body)
  }
}
