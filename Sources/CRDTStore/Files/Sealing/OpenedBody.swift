import CRDTKit

/// Bytes of a file that can be read: as they stand in it, or as they were before
/// they were sealed.
struct OpenedBody {
  /// Bytes that hold the body.
  let bytes: [UInt8]
  /// Where in them it is.
  let range: Range<Int>
  /// How much further on in the file a place is than in the bytes: about, where it was
  /// sealed.
  let shift: Int
  /// The version of the binary format that the file's changes are in.
  let formatVersion: UInt8

  /// The line of history that it was sealed for; `nil` where it says none.
  var line: UInt64?

  /// The body alone.
  var content: [UInt8] { range == 0..<bytes.count ? bytes : Array(bytes[range]) }

  /// A reader of the body.
  var reader: ByteReader {
    var reader = ByteReader(bytes, in: range)
    reader.formatVersion = formatVersion
    return reader
  }

  /// Reads the body, and gives what can't be read as damage of the file.
  func decode<Value>(
    at path: String, _ decode: (inout ByteReader) throws(DecodingFailure) -> Value
  ) throws(StoreError) -> Value {
    var reader = reader
    do throws(DecodingFailure) { return try decode(&reader) } catch {
      throw StoreError(error, path: path, at: shift)
    }
  }
}
