import CRDTKit

/// The place that a part of a store's file is sealed for: it opens nowhere else.
///
/// So somebody who makes the checksums right still can't move a sealed part within a file,
/// or exchange it with one of another file or store.
///
/// A store and its copies have the same number, and write at the same places. So a
/// segment's frames are also sealed for a *line of history*: a random number, a new one
/// each time the store is opened for writing. The first sealed part of a line names the
/// line that it continues. A copy writes on a line that the original's lines don't
/// continue.
enum SealedPlace {
  /// The body of the frame that was written at an offset.
  ///
  /// The offset is its lowest 32 bits, as in the frame's head. In a segment, the frame
  /// belongs to a line of history.
  case frame(offset: UInt32, line: UInt64?)
  /// The bytes after the first frame of a file.
  ///
  /// A snapshot's document is that of the segments before the given one; a relay's delta
  /// has no such number.
  case content(of: UInt64)

  /// The bytes that encode the place.
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

/// Readable bytes of a file: as they are in it, or as they were before they were sealed.
struct OpenedBody {
  /// Bytes that hold the body.
  let bytes: [UInt8]
  /// The range of the body in them.
  let range: Range<Int>
  /// The distance from an offset in the bytes to the one in the file; approximate if the
  /// body was sealed.
  let shift: Int
  /// The version of the binary format of the file's changes.
  let formatVersion: UInt8

  /// The line of history that it was sealed for; `nil` if it names none.
  var line: UInt64?
  /// Whether a former key has sealed it: see ``RotatingSealing``.
  var isOfFormerKey = false

  /// The body alone.
  var content: [UInt8] { range == 0..<bytes.count ? bytes : Array(bytes[range]) }

  /// A reader of the body.
  var reader: ByteReader {
    var reader = ByteReader(bytes, in: range)
    reader.formatVersion = formatVersion
    return reader
  }

  /// Reads the body, and throws unreadable bytes as damage of the file.
  func decode<Value>(
    at path: String, _ decode: (inout ByteReader) throws(DecodingFailure) -> Value
  ) throws(StoreError) -> Value {
    var reader = reader
    do throws(DecodingFailure) { return try decode(&reader) } catch {
      throw StoreError(error, path: path, at: shift)
    }
  }
}

/// A sealing that counts its seals.
final class CountedSealing: Sealing {
  private let sealing: any Sealing
  private let sealed: Locked<UInt64>

  init(_ sealing: any Sealing) {
    self.sealing = sealing
    sealed = Locked(0)
  }

  /// The number of seals.
  var count: UInt64 { sealed.withLock { $0 } }

  var overheadBytes: Int { sealing.overheadBytes }

  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    sealed.withLock { $0 += 1 }
    return try sealing.seal(bytes, for: context)
  }

  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try sealing.open(sealed, for: context)
  }

  /// Opens bytes, and tells whether a former key of a ``RotatingSealing`` has sealed them.
  func openTelling(
    _ sealed: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> (bytes: [UInt8], isOfFormerKey: Bool) {
    guard let rotating = sealing as? RotatingSealing else {
      return (try sealing.open(sealed, for: context), false)
    }
    return try rotating.openTelling(sealed, for: context)
  }
}
