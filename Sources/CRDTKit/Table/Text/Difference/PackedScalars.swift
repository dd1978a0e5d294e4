/// Scalars as numbers made of their UTF-8 bytes, so that comparing them compares the bytes.
enum PackedScalars {
  /// Replaces what is in `scalars` by the scalars of `text`.
  static func pack(_ text: UnsafeBufferPointer<UInt8>, into scalars: inout [UInt32]) {
    scalars.removeAll(keepingCapacity: true)
    var count = 0
    for byte in text where !byte.isContinuation { count += 1 }
    scalars.reserveCapacity(count)
    var offset = 0
    while offset < text.count {
      let first = text[offset]
      var scalar = UInt32(first)
      offset += 1
      guard first >= 0xC0 else {
        scalars.append(scalar)
        continue
      }
      var room = 3
      while room > 0, offset < text.count, text[offset].isContinuation {
        scalar = scalar << 8 | UInt32(text[offset])
        offset += 1
        room -= 1
      }
      scalars.append(scalar)
    }
  }

  /// A walk along packed scalars that keeps count of their bytes.
  struct Offsets {
    private var index = 0
    private var offset: Int32

    init(start: Int32) { offset = start }

    /// The bytes of a range of scalars that begins no earlier than the last one ended.
    mutating func range(of range: Range<Int32>, in scalars: [UInt32]) -> Range<Int32> {
      advance(to: Int(range.lowerBound), in: scalars)
      let start = offset
      advance(to: Int(range.upperBound), in: scalars)
      return start..<offset
    }

    private mutating func advance(to end: Int, in scalars: [UInt32]) {
      while index < end {
        offset += max(1, Int32(4 - scalars[index].leadingZeroBitCount / 8))
        index += 1
      }
    }
  }
}

extension ShortestPath {
  /// Compares two arrays and leaves the result in `gaps`.
  mutating func compare(_ old: [UInt32], _ new: [UInt32], limits: Limits) {
    old.withUnsafeBufferPointer { oldTokens in
      new.withUnsafeBufferPointer { newTokens in
        compare(oldTokens, newTokens, limits: limits)
      }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether all bytes are ASCII.
  var isASCII: Bool {
    guard let start = UnsafeRawPointer(baseAddress) else { return true }
    var offset = 0
    while offset + 8 <= count {
      let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard word & 0x8080_8080_8080_8080 == 0 else { return false }
      offset += 8
    }
    return self[offset...].allSatisfy { $0 < 0x80 }
  }
}
