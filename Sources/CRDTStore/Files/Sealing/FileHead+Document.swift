import CRDTKit

extension FileHead {
  /// Whether the document stands unsealed before what is sealed in the first frame: a store
  /// that comes to a relay has to know it before it can open anything.
  var namesDocument: Bool { kind == .relay && version == Self.sealedVersion }

  /// How the document stands there: 0, or 1 and its identifier.
  ///
  /// It is part of what all in the file is sealed for, so another one in its place opens
  /// nothing.
  var clearDocument: [UInt8] {
    var writer = ByteWriter(capacity: 17)
    writer.write(document == nil ? 0 : 1 as UInt8)
    document?.encode(to: &writer)
    return writer.finish()
  }

  /// Whether the line of history stands unsealed before what is sealed in each frame.
  var namesLine: Bool { hasLine && kind == .segment }

  /// What stands unsealed before what is sealed in a frame of a line of history.
  func clearPart(line: UInt64) -> [UInt8] {
    if namesDocument { return clearDocument }
    guard namesLine else { return [] }
    return withUnsafeBytes(of: line.littleEndian) { Array($0) }
  }

  /// Which line of history stands in a frame's body, where one should; `nil` where it is cut
  /// short.
  func line(of bytes: [UInt8], in body: Range<Int>) -> UInt64? {
    guard namesLine, body.count >= 8 else { return nil }
    return bytes[body.prefix(8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads which document stands in the first frame's body.
  mutating func readDocument(
    of bytes: [UInt8], in body: Range<Int>
  ) throws(DecodingFailure) {
    guard namesDocument else { return }
    var reader = ByteReader(bytes, in: body)
    switch try reader.readByte() {
    case 0: document = nil
    case 1: document = try DocumentID(from: &reader)
    default:
      throw DecodingFailure(.invalidValue("an unknown kind of document"), at: body.lowerBound)
    }
  }
}
