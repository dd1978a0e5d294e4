import CRDTKit

/// What a stretch of a store's files is sealed for: the only place where it opens.
///
/// So what was sealed can't be moved within a file, nor exchanged with that of
/// another file or store, by somebody who makes the checksums right.
///
/// A store and its copies have the same number, and write at the same places. So a segment's
/// frames are of a *line of history* as well, a random number that is another each time the
/// store is opened to be written: the first thing that is sealed of a line says which one it
/// goes on from. What a copy has written after it parted is of a line that doesn't.
enum SealedPlace {
  /// The body of the frame that was written at an offset: of that the lowest 32 bits,
  /// as in the frame's head; in a segment, of a line of history.
  case frame(offset: UInt32, line: UInt64?)
  /// What follows the first frame of a file: a snapshot's document is that of the
  /// segments before one, a relay's delta has no such number.
  case content(of: UInt64)

  /// The bytes that say so.
  func context(in file: FileHead) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.write(Array("CRDTStore file".utf8))
    writer.write(file.version)
    writer.write(file.kind.rawValue)
    writer.write(fixed: file.store)
    writer.write(fixed: file.number)
    switch self {
    case .frame(let offset, let line):
      writer.write(0 as UInt8)
      writer.write(fixed: offset)
      if let line { writer.write(fixed: line) }
    case .content(let number):
      writer.write(1 as UInt8)
      writer.write(fixed: number)
    }
    if file.namesDocument { writer.write(file.clearDocument) }
    return writer.finish()
  }
}

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

/// A sealing that counts how often it seals.
final class CountedSealing: Sealing {
  private let sealing: any Sealing
  private let sealed: Locked<UInt64>

  init(_ sealing: any Sealing) {
    self.sealing = sealing
    sealed = Locked(0)
  }

  /// How often it has sealed.
  var count: UInt64 { sealed.withLock { $0 } }

  var overheadBytes: Int { sealing.overheadBytes }

  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    sealed.withLock { $0 += 1 }
    return try sealing.seal(bytes, for: context)
  }

  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try sealing.open(sealed, for: context)
  }
}
