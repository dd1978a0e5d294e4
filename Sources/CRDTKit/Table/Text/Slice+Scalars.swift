extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Removes and returns the given number of scalars; `nil` if there are fewer, or the
  /// bytes aren't valid UTF-8.
  mutating func popScalars(_ count: Int) -> Self? {
    var place = startIndex
    // All ASCII, most often.
    if count <= self.count, base.isASCII(place..<place + count) {
      defer { self = self[(place + count)...] }
      return self[..<(place + count)]
    }
    for _ in 0..<count {
      guard place < endIndex, let length = base.validScalarLength(at: place, upTo: endIndex)
      else { return nil }
      place += length
    }
    defer { self = self[place...] }
    return self[..<place]
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns whether all bytes in a range are ASCII.
  fileprivate func isASCII(_ range: Range<Int>) -> Bool {
    UnsafeBufferPointer(rebasing: self[range]).reduce(0) { $0 | $1 } < 0x80
  }

  /// Returns the length of the valid UTF-8 sequence at an offset; `nil` if there is none.
  ///
  /// The Unicode Standard, table 3-7.
  fileprivate func validScalarLength(at place: Int, upTo end: Int) -> Int? {
    let first = self[place]
    if first < 0x80 { return 1 }
    guard first >= 0xC2, first <= 0xF4, place + 1 < end else { return nil }
    let second = self[place + 1]
    let length = first.scalarLength
    let range: ClosedRange<UInt8> =
      switch first {
      case 0xE0: 0xA0...0xBF
      case 0xED: 0x80...0x9F
      case 0xF0: 0x90...0xBF
      case 0xF4: 0x80...0x8F
      default: 0x80...0xBF
      }
    guard range.contains(second), place + length <= end else { return nil }
    for rest in 2..<Swift.max(length, 2) where self[place + rest] & 0xC0 != 0x80 { return nil }
    return length
  }
}
