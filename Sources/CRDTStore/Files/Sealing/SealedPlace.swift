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
