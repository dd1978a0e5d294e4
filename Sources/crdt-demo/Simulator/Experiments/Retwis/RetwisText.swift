import CRDTKit

/// A text that stands for a post's content or identifier: of a certain length, and
/// with the post's number in it.
struct RetwisText: Hashable, Sendable {
  var number: Int
  /// In bytes, the number's eight included.
  var length: Int

  init(_ number: Int, of length: Int) {
    self.number = number
    self.length = max(length, 8)
  }

  /// No text.
  static let empty = RetwisText(number: 0, length: 0)

  private init(number: Int, length: Int) {
    self.number = number
    self.length = length
  }

  /// What fills a text up.
  private static let filler = Array(repeating: UInt8(ascii: "."), count: 1_024)
}

extension RetwisText: CanonicalCodable {
  /// Writes the length, then the bytes.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(length))
    guard length >= 8 else { return }
    writer.write(fixed: UInt64(number))
    Self.filler.withUnsafeBytes { filler in
      writer.write(UnsafeRawBufferPointer(rebasing: filler.prefix(length - 8)))
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let length = try reader.readVarint()
    guard length == 0 || (8...UInt64(Self.filler.count)).contains(length) else {
      throw DecodingFailure(.outOfBounds("a text of a post"), at: start)
    }
    var number = 0
    if length > 0 {
      number = Int(truncatingIfNeeded: try reader.readFixed(UInt64.self))
      _ = try reader.readBytes(Int(length) - 8)
    }
    self.init(number: number, length: Int(length))
  }
}
