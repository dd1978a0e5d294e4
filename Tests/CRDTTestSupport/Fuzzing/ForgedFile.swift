import CRDTKit

/// A file of a store or a relay, put together by hand with checksums that fit.
///
/// It follows the article on the format, not the code.
package struct ForgedFile {
  package private(set) var bytes: [UInt8] = []
  private let kind: UInt8
  private let store: UInt64
  private let number: UInt64

  /// Begins a file: its head from the kind, the version, the store and the number of the file.
  package init(kind: UInt8, version: UInt8, store: UInt64, number: UInt64) {
    (self.kind, self.store, self.number) = (kind, store, number)
    var writer = ByteWriter()
    writer.write([0xC4, 0xD7, kind, version])
    writer.write(
      fixed: Self.checksum { words in
        words.write(fixed: store)
        words.write(fixed: number)
        words.write(fixed: UInt64(kind) | UInt64(version) << 8)
      })
    writer.write(fixed: store)
    writer.write(fixed: number)
    bytes = writer.finish()
  }

  /// Begins a file with the head that the first bytes of another give, if there are enough.
  package init?(headOf file: [UInt8]) {
    guard file.count >= 24 else { return nil }
    func number(at place: Int) -> UInt64 {
      file[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(kind: file[2], version: file[3], store: number(at: 8), number: number(at: 16))
  }

  /// Adds a frame.
  package mutating func frame(_ body: [UInt8]) {
    let (offset, size) = (UInt64(bytes.count), UInt64(body.count))
    let checksum = UInt64(body.withUnsafeBytes { CRC32C.checksum($0) })
    var writer = ByteWriter()
    for word in [size, checksum, offset] { writer.write(fixed: UInt32(word)) }
    writer.write(
      fixed: Self.checksum { words in
        words.write(fixed: store)
        words.write(fixed: number)
        words.write(fixed: offset << 8 | UInt64(kind))
        words.write(fixed: checksum << 32 | size)
      })
    writer.write(body)
    bytes += writer.finish()
  }

  /// Adds a frame in the middle of which stand the size and the checksum of encoded bytes, and
  /// then these.
  package mutating func frame(_ before: [UInt8], _ content: [UInt8], _ after: [UInt8]) {
    frame(before + Self.extent(of: content) + after)
    bytes += content
  }

  /// The size and the checksum of encoded bytes, as they stand in a frame.
  package static func extent(of content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(varint: UInt64(content.count))
    return writer.finish() + (content.suffix(4) + [0, 0, 0, 0]).prefix(4)
  }

  /// Adds bytes as they are.
  package mutating func raw(_ more: [UInt8]) { bytes += more }

  /// The bodies of the frames of a file, and what follows them.
  package static func parts(of file: [UInt8]) -> (frames: [[UInt8]], rest: [UInt8]) {
    var frames: [[UInt8]] = []
    var rest = file.dropFirst(24)
    while rest.count >= 16 {
      let start = rest.startIndex
      let size = rest[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 16 + size else { break }
      frames.append(Array(rest.dropFirst(16).prefix(size)))
      rest = rest.dropFirst(16 + size)
      // What follows the frame of a snapshot or of a relay's file is no frame.
      if file[2] > 2 { break }
    }
    return (frames, Array(rest))
  }

  private static func checksum(of words: (inout ByteWriter) -> Void) -> UInt32 {
    var writer = ByteWriter()
    words(&writer)
    return writer.withBytes { CRC32C.checksum($0) }
  }
}

extension FuzzInput {
  /// The parts of a file: its head; the frames' bodies; of a file with a delta or a document
  /// after its frame, what stands before and after its size in the frame, and its bytes without
  /// the checksum.
  static func parts(of file: [UInt8]) -> [[UInt8]] {
    let (frames, rest) = ForgedFile.parts(of: file)
    let head = Array(file.prefix(24))
    guard file.count >= 24, file[2] > 2, let body = frames.first else { return [head] + frames }
    let extent = rest.isEmpty ? [0, 0, 0, 0, 0] : ForgedFile.extent(of: rest)
    guard let place = body.indices.first(where: { body[$0...].starts(with: extent) }) else {
      return [head, body]
    }
    let after = body[(place + extent.count)...]
    return [head, Array(body[..<place]), Array(after), Array(rest.dropLast(4))]
  }

  /// The file of which these are the parts.
  static func file(_ parts: ArraySlice<[UInt8]>) -> [UInt8] {
    let parts = Array(parts)
    guard let head = parts.first, var file = ForgedFile(headOf: head) else {
      return Array(parts.joined())
    }
    if head[2] > 2, parts.count == 4 {
      file.frame(parts[1], parts[3].isEmpty ? [] : sealed(parts[3] + [0, 0, 0, 0]), parts[2])
    } else {
      for frame in parts.dropFirst() { file.frame(frame) }
    }
    return file.bytes
  }
}
