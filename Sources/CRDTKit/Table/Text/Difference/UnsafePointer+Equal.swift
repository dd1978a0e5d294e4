extension UnsafePointer where Pointee: FixedWidthInteger {
  /// Counts how many elements from here on equal those at `other`, eight bytes at a time.
  ///
  /// Both pointers must be good for `limit` elements.
  @inline(__always)
  func countEqual(to other: Self, limit: Int) -> Int {
    let stride = 8 / MemoryLayout<Pointee>.stride
    var count = 0
    while count + stride <= limit {
      let mine = UnsafeRawPointer(self + count).loadUnaligned(as: UInt64.self)
      let theirs = UnsafeRawPointer(other + count).loadUnaligned(as: UInt64.self)
      guard mine == theirs else {
        return count + UInt64(littleEndian: mine ^ theirs).trailingZeroBitCount / Pointee.bitWidth
      }
      count += stride
    }
    while count < limit, self[count] == other[count] { count += 1 }
    return count
  }

  /// Counts how many elements just before here equal those before `other`.
  ///
  /// Both pointers must be good for `limit` elements before them.
  @inline(__always)
  func countEqualBackward(to other: Self, limit: Int) -> Int {
    let stride = 8 / MemoryLayout<Pointee>.stride
    var count = 0
    while count + stride <= limit {
      let mine = UnsafeRawPointer(self - count - stride).loadUnaligned(as: UInt64.self)
      let theirs = UnsafeRawPointer(other - count - stride).loadUnaligned(as: UInt64.self)
      guard mine == theirs else {
        return count + UInt64(littleEndian: mine ^ theirs).leadingZeroBitCount / Pointee.bitWidth
      }
      count += stride
    }
    while count < limit, self[-1 - count] == other[-1 - count] { count += 1 }
    return count
  }
}

extension UInt8 {
  /// Whether this byte continues a scalar of UTF-8.
  @inline(__always)
  var isContinuation: Bool { self & 0xC0 == 0x80 }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether a scalar begins at `offset`, or the text ends there.
  @inline(__always)
  func isScalarBorder(_ offset: Int) -> Bool {
    offset == count || !self[offset].isContinuation
  }
}
