/// Collects the bytes of a canonical encoding.
///
/// You can't copy a writer; `finish()` ends it.
@frozen
public struct ByteWriter: ~Copyable {
  // Only the writer owns `base`: `count` bytes are initialized, `capacity` are allocated,
  // and every write makes room before it stores.
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int

  @usableFromInline var length = 0

  /// The number of arrays, objects and states of ``CodableNode`` around the current
  /// value.
  @usableFromInline var nodeDepth = 0

  /// The memory of the values written so far, for the values that follow.
  @usableFromInline var memory: CodingMemory?

  /// Whether each value is encoded so that a reader needs only the value before it; no
  /// memory is made then.
  @usableFromInline package var forgets = false

  /// The number of bytes written so far.
  @inlinable
  public var count: Int { length }

  /// Creates a writer with the given capacity, which grows as needed.
  public init(capacity: Int = 64) {
    self.capacity = max(capacity, 16)
    base = .allocate(capacity: self.capacity)
  }

  deinit {
    base.deallocate()
  }

  /// Ends the writing and returns the bytes.
  ///
  /// - Complexity: O(`count`).
  public consuming func finish() -> [UInt8] {
    Array(UnsafeBufferPointer(start: base, count: count))
  }
}

extension ByteWriter {
  /// Discards the bytes written so far, and keeps the capacity.
  @inlinable
  package mutating func removeAll() {
    length = 0
  }

  /// Writes one byte.
  @inlinable
  public mutating func write(_ byte: UInt8) {
    makeRoom(for: 1)
    base[length] = byte
    length += 1
  }

  /// Writes bytes without their number.
  @inlinable
  public mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    makeRoom(for: bytes.count)
    UnsafeMutableRawPointer(base + length).copyMemory(from: source, byteCount: bytes.count)
    length += bytes.count
  }

  /// Writes bytes without their number.
  @inlinable
  public mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  /// Writes a number in as few bytes as possible, 1 to 10: seven bits in each byte,
  /// lowest first, the high bit set on all but the last (LEB128).
  @inlinable
  public mutating func write(varint value: UInt64) {
    makeRoom(for: 10)
    var rest = value
    var place = length
    while rest >= 0x80 {
      base[place] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      place += 1
    }
    base[place] = UInt8(truncatingIfNeeded: rest)
    length = place + 1
  }

  /// Inserts a number, encoded as by ``write(varint:)``, before bytes already written.
  ///
  /// - Complexity: O(bytes after the insertion).
  @usableFromInline
  mutating func insert(varint value: UInt64, at place: Int) {
    let end = length
    write(varint: value)
    let width = length - end
    makeRoom(for: width)
    (base + length).update(from: base + end, count: width)
    (base + place + width).update(from: base + place, count: end - place)
    (base + place).update(from: base + length, count: width)
  }

  /// Writes a signed number so that numbers near 0 are short: zig-zag, then LEB128.
  @inlinable
  public mutating func write(signedVarint value: Int64) {
    write(varint: UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)))
  }

  /// Writes an integer in its full width, lowest byte first.
  @inlinable
  public mutating func write<Number: FixedWidthInteger>(fixed value: Number) {
    withUnsafeBytes(of: value.littleEndian) { write($0) }
  }

  /// Passes the bytes written so far to `body`.
  @inlinable
  package borrowing func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    body(UnsafeRawBufferPointer(start: base, count: count))
  }

  @inlinable
  mutating func makeRoom(for more: Int) {
    if capacity - length < more { grow(by: more) }
  }

  @usableFromInline
  mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let room = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    room.update(from: base, count: count)
    base.deallocate()
    base = room
    capacity = larger
  }
}
