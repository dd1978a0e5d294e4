package import CRDTKit

/// Frames of the sync protocol, put together by hand: what a hostile peer could
/// send.
///
/// It follows the article on the protocol, not the code.
package struct ForgedStream {
  package private(set) var bytes: [UInt8] = []
  private var number: UInt32 = 0

  package init() {}

  /// Adds a frame whose header and checksum fit.
  package mutating func frame(_ kind: UInt8, _ body: [UInt8]) {
    let length = [0, 8, 16].map { UInt8(truncatingIfNeeded: body.count >> $0) }
    let content = [kind] + body
    let checksum = content.withUnsafeBytes { CRC32C.checksum($0) } ^ number &* 0x9E37_79B1
    bytes += length + [length.reduce(0xA5, ^)] + content
    bytes += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: checksum >> $0) }
    number &+= 1
  }

  /// Adds a frame with what a test writes.
  package mutating func frame(_ kind: UInt8, _ write: (inout ByteWriter) -> Void) {
    var writer = ByteWriter()
    write(&writer)
    frame(kind, writer.finish())
  }

  /// Adds bytes as they are.
  package mutating func raw(_ more: [UInt8]) { bytes += more }

  /// Takes all bytes out.
  package mutating func drain() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

extension ForgedStream {
  /// Adds a hello without a partial transfer, but for what is said otherwise.
  package mutating func hello(
    magic: [UInt8] = [0xC4, 0xD7, 0x70, 0x73], versions: [UInt8] = [1, 1],
    format: UInt8 = BinaryFormat.version,
    typeCode: [UInt8] = ORSet<String>.typeCode, as replica: ReplicaID = ReplicaID(66),
    window: UInt64 = 1 << 20, partial: [UInt8] = [0], count: UInt64 = 0,
    heads: (inout ByteWriter) -> Void = { _ in }
  ) {
    frame(1) { writer in
      writer.write(magic + versions + [format])
      writer.write(varint: UInt64(typeCode.count))
      writer.write(typeCode)
      replica.encode(to: &writer)
      writer.write(varint: window)
      writer.write(partial)
      writer.write(varint: count)
      heads(&writer)
    }
  }

  /// Adds an offer.
  package mutating func offer(digest: UInt64, total: UInt64, start: UInt64 = 0) {
    frame(4) { writer in
      writer.write(fixed: digest)
      writer.write(varint: total)
      writer.write(varint: start)
    }
  }

  /// Adds a whole transfer.
  package mutating func transfer(_ bytes: [UInt8]) {
    offer(digest: digest(of: bytes), total: UInt64(bytes.count))
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      frame(5, Array(bytes[start..<min(start + 1 << 16, bytes.count)]))
    }
  }

  package func digest(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { Fingerprint.of($0) }
  }
}

extension ForgedStream {
  /// Makes a hello that of a peer which speaks version 1 alone; leaves other frames.
  ///
  /// Both sides' must be changed: each takes what both speak.
  package static func limitToVersion1(_ frame: inout [UInt8]) {
    guard frame.count > 15, frame[4] == 1, frame[5..<9].elementsEqual([0xC4, 0xD7, 0x70, 0x73])
    else { return }
    frame[10] = 1
    let end = frame.count - 4
    let checksum = frame[4..<end].withUnsafeBytes { CRC32C.checksum($0) }
    for place in 0..<4 { frame[end + place] = UInt8(truncatingIfNeeded: checksum >> (8 * place)) }
  }

  package struct Frame {
    package var kind: UInt8
    package var body: [UInt8]
    package var whole: [UInt8]
  }

  /// The frames that bytes consist of.
  package static func frames(of bytes: [UInt8]) throws(Discrepancy) -> [Frame] {
    var frames: [Frame] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let start = rest.startIndex
      guard rest.count >= 9 else { throw Discrepancy("half a frame") }
      let length = (0..<3).reduce(0) { $0 + Int(rest[start + $1]) << (8 * $1) }
      guard rest.count >= 9 + length else { throw Discrepancy("half a frame") }
      let body = Array(rest[(start + 5)..<(start + 5 + length)])
      let whole = Array(rest.prefix(9 + length))
      frames.append(Frame(kind: rest[start + 4], body: body, whole: whole))
      rest = rest.dropFirst(9 + length)
    }
    return frames
  }
}
