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
