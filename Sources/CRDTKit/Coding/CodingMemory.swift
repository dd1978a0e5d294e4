/// The information that encoded values leave for those that follow; a writer and the
/// reader of its bytes build the same.
///
/// A subclass defines the contents; readers and writers only carry them along. A copy of
/// a reader gets a memory of its own before either changes it.
@usableFromInline
package class CodingMemory: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Resets the memory to its initial state.
  @usableFromInline
  package func forget() {}

  /// Returns a copy of the memory.
  @usableFromInline
  package func copied() -> CodingMemory { CodingMemory() }
}

/// Memory is counted before it is allocated. This bounds the memory that untrusted bytes
/// can take, even if they are few.
extension ByteReader {
  /// The limit if none was set, for input of the given size: more than any honestly
  /// written value takes, but too little for false lengths.
  @inlinable
  static func memoryMax(for size: Int) -> Int {
    size > Int.max >> 9 ? .max : size << 8 + 1 << 16
  }

  /// Sets how many bytes of memory the remaining values may take.
  @inlinable
  package mutating func limitMemory(to bytesMax: Int) {
    memoryMax = min(memoryMax, max(bytesMax, 0))
    memoryLeft = min(memoryLeft, memoryMax)
  }

  /// The bytes of memory that the values read so far take.
  @inlinable
  package var memoryTaken: Int { memoryMax &- memoryLeft }

  /// Counts memory for the next value, and throws if it exceeds the limit.
  @inlinable
  @inline(__always)
  package mutating func count(memory size: Int) throws(DecodingFailure) {
    guard size <= memoryLeft else { throw failure(.memoryExceeded(max: memoryMax)) }
    memoryLeft &-= size
  }

  /// Counts a separate allocation of the given size, including its header and the
  /// allocator's overhead.
  @inlinable
  package mutating func count(objectOf size: Int) throws(DecodingFailure) {
    try count(memory: size &+ 48)
  }

  /// Counts an array whose encoded elements take at least a byte each, and reserves
  /// capacity.
  @inlinable
  package mutating func makeRoom<Element>(
    for count: Int, in array: inout [Element]
  ) throws(DecodingFailure) {
    guard count > 0 else { return }
    try self.count(objectOf: count * MemoryLayout<Element>.stride)
    array.reserveCapacity(count)
  }

  /// Counts an array whose encoded elements take at least a byte each, and reserves
  /// capacity.
  @inlinable
  package mutating func makeRoom<Element>(
    for count: Int, in array: inout ContiguousArray<Element>
  ) throws(DecodingFailure) {
    guard count > 0 else { return }
    try self.count(objectOf: count * MemoryLayout<Element>.stride)
    array.reserveCapacity(count)
  }

  /// Counts a hashed collection whose encoded elements take at least a byte each.
  ///
  /// Its capacity is a power of two, of which at most three quarters are used.
  @inlinable
  package mutating func count<Element>(
    hashed count: Int, of _: Element.Type
  ) throws(DecodingFailure) {
    guard count > 0 else { return }
    try self.count(objectOf: count * MemoryLayout<Element>.stride * 8 / 3)
  }
}
