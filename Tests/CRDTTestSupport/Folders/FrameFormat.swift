import CRDTKit

/// The heads and frames of files, after the article *FileFormat*.
///
/// It is what a forger knows who has no key, and shares no code with the store.
enum FrameFormat {
  private static let headSize = 24
  private static let frameHeadSize = 16

  /// The bytes of a file with all checksums made right, and another version or number in its
  /// head.
  static func rewritten(
    _ bytes: [UInt8], version: UInt8? = nil, number: UInt64? = nil
  ) -> [UInt8] {
    guard bytes.count >= headSize else { return bytes }
    var bytes = bytes
    let places = frames(of: bytes)
    if let version { bytes[3] = version }
    if let number { put(number, 8, &bytes, 16) }
    put(headChecksum(bytes), 4, &bytes, 4)
    for place in places { seal(place, &bytes) }
    return bytes
  }

  /// The version in a file's head; `nil` where it has none.
  static func version(of bytes: [UInt8]) -> UInt8? {
    bytes.count >= headSize && bytes.starts(with: [0xC4, 0xD7]) ? bytes[3] : nil
  }

  /// Whether a file says that it is sealed.
  static func isSealed(_ bytes: [UInt8]) -> Bool { [3, 5].contains(version(of: bytes)) }

  /// The store that a file says it is of.
  static func store(of bytes: [UInt8]) -> UInt64? {
    version(of: bytes).map { _ in word(bytes, 8, 8) }
  }

  /// The head of a file, and that of one frame, which claims to be so long.
  static func claiming(_ bytes: [UInt8], bodySize: UInt32) -> [UInt8] {
    guard bytes.count >= headSize + frameHeadSize else { return bytes }
    var bytes = Array(bytes.prefix(headSize + frameHeadSize))
    put(UInt64(bodySize), 4, &bytes, headSize)
    put(frameChecksum(headSize, bytes), 4, &bytes, headSize + 12)
    return bytes
  }

  /// Where frames begin, as far as their lengths lead.
  private static func frames(of bytes: [UInt8]) -> [Range<Int>] {
    var (places, place): ([Range<Int>], Int) = ([], headSize)
    while place + frameHeadSize <= bytes.count {
      let end = place + frameHeadSize + Int(word(bytes, place, 4))
      guard end <= bytes.count else { break }
      places.append(place..<end)
      // After the one frame of a snapshot or a relay's file other bytes follow.
      if bytes[2] > 2 { break }
      place = end
    }
    return places
  }

  private static func seal(_ place: Range<Int>, _ bytes: inout [UInt8]) {
    let start = place.lowerBound
    let body = checksum(Array(bytes[(start + frameHeadSize)..<place.upperBound]))
    put(UInt64(body), 4, &bytes, start + 4)
    put(frameChecksum(start, bytes), 4, &bytes, start + 12)
  }

  private static func headChecksum(_ bytes: [UInt8]) -> UInt64 {
    let kind = UInt64(bytes[2]) | UInt64(bytes[3]) << 8
    return UInt64(checksum(Array(bytes[8..<24]) + little(kind)))
  }

  private static func frameChecksum(_ start: Int, _ bytes: [UInt8]) -> UInt64 {
    let offset = word(bytes, start + 8, 4) << 8 | UInt64(bytes[2])
    let sizes = word(bytes, start + 4, 4) << 32 | word(bytes, start, 4)
    return UInt64(checksum(Array(bytes[8..<24]) + little(offset) + little(sizes)))
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.checksum($0) }
  }

  private static func little(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  private static func word(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func put(_ number: UInt64, _ size: Int, _ bytes: inout [UInt8], _ place: Int) {
    for (index, byte) in little(number).prefix(size).enumerated() { bytes[place + index] = byte }
  }
}
