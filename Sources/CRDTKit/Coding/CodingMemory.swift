/// What values that were written leave behind for those to come: a writer and the
/// reader of its bytes keep the same.
///
/// A subclass says what; readers and writers only carry it along. A copy of a
/// reader gets a memory of its own before either changes it.
@usableFromInline
package class CodingMemory: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Becomes as new.
  @usableFromInline
  package func forget() {}

  /// Another memory of the same.
  @usableFromInline
  package func copied() -> CodingMemory { CodingMemory() }
}

/// Memory is counted before it is there: so what a stranger's bytes can make resident is
/// bounded, however little each byte of them says.
extension ByteReader {
  /// How much memory so many bytes may take at most where no limit was set: more than
  /// anything does that was written honestly, and too little for lengths that lie.
  @inlinable
  static func memoryMax(for size: Int) -> Int {
    size > Int.max >> 9 ? .max : size << 8 + 1 << 16
  }

  /// Sets how many bytes of memory what is read from now on may take.
  @inlinable
  package mutating func limitMemory(to bytesMax: Int) {
    memoryMax = min(memoryMax, max(bytesMax, 0))
    memoryLeft = min(memoryLeft, memoryMax)
  }

  /// How many bytes of memory what was read takes.
  @inlinable
  package var memoryTaken: Int { memoryMax &- memoryLeft }

  /// Counts memory that what is read next takes.
  @inlinable
  @inline(__always)
  package mutating func count(memory size: Int) throws(DecodingFailure) {
    guard size <= memoryLeft else { throw failure(.memoryExceeded(max: memoryMax)) }
    memoryLeft &-= size
  }

  /// Counts an object of its own with so many bytes: they have a header, and stand among
  /// others with their lengths before them.
  @inlinable
  package mutating func count(objectOf size: Int) throws(DecodingFailure) {
    try count(memory: size &+ 48)
  }

  /// Counts an array of elements that take a byte or more each, and makes room for them.
  @inlinable
  package mutating func makeRoom<Element>(
    for count: Int, in array: inout [Element]
  ) throws(DecodingFailure) {
    guard count > 0 else { return }
    try self.count(objectOf: count * MemoryLayout<Element>.stride)
    array.reserveCapacity(count)
  }

  /// Counts an array of elements that take a byte or more each, and makes room for them.
  @inlinable
  package mutating func makeRoom<Element>(
    for count: Int, in array: inout ContiguousArray<Element>
  ) throws(DecodingFailure) {
    guard count > 0 else { return }
    try self.count(objectOf: count * MemoryLayout<Element>.stride)
    array.reserveCapacity(count)
  }

  /// Counts a hashed collection of elements that take a byte or more each: its places are a
  /// power of two, three quarters of which are taken at most.
  @inlinable
  package mutating func count<Element>(
    hashed count: Int, of _: Element.Type
  ) throws(DecodingFailure) {
    guard count > 0 else { return }
    try self.count(objectOf: count * MemoryLayout<Element>.stride * 8 / 3)
  }
}
