/// A list whose copies share most of it after a change: one of some hundred pages
/// costs a change after a copy a few dozen references, not all.
///
/// The elements stand in chunks of one size, and the last of them apart, so that a
/// short list is one array.
@frozen
@usableFromInline
package struct SharedList<Element: Sendable>: Sendable {
  @usableFromInline typealias Chunk = ContiguousArray<Element>

  /// How many elements a full chunk has: a power of two.
  @inlinable
  static var chunkSize: Int { 32 }

  @usableFromInline var chunks: ContiguousArray<Chunk>
  /// What comes after the full chunks; empty only where the list is.
  @usableFromInline var tail: Chunk

  @inlinable
  package init() {
    chunks = []
    tail = []
  }

  @inlinable
  init(_ elements: Chunk) {
    chunks = []
    tail = elements
    divide()
  }

  /// Puts what the tail has too much into chunks.
  @inlinable
  mutating func divide() {
    guard tail.count > Self.chunkSize else { return }
    var start = 0
    while tail.count &- start > Self.chunkSize {
      chunks.append(Chunk(tail[start..<start &+ Self.chunkSize]))
      start &+= Self.chunkSize
    }
    tail = Chunk(tail[start...])
  }

  /// Whether two lists hold their elements in the same storage.
  @inlinable
  func sharesStorage(with other: SharedList) -> Bool {
    func address(_ array: ContiguousArray<some Any>) -> UnsafeRawPointer? {
      array.withUnsafeBytes { $0.baseAddress }
    }
    return count == other.count && address(tail) == address(other.tail)
      && address(chunks) == address(other.chunks)
  }
}

extension SharedList: RandomAccessCollection, MutableCollection {
  @inlinable
  package var startIndex: Int { 0 }

  @inlinable
  package var endIndex: Int { chunks.count &* Self.chunkSize &+ tail.count }

  @inlinable
  package subscript(place: Int) -> Element {
    get {
      let chunk = place / Self.chunkSize
      return chunk == chunks.count
        ? tail[place % Self.chunkSize] : chunks[chunk][place % Self.chunkSize]
    }
    _modify {
      let chunk = place / Self.chunkSize
      if chunk == chunks.count {
        yield &tail[place % Self.chunkSize]
      } else {
        yield &chunks[chunk][place % Self.chunkSize]
      }
    }
  }
}

extension SharedList: RangeReplaceableCollection {
  @inlinable
  package mutating func append(_ element: Element) {
    if tail.count == Self.chunkSize {
      chunks.append(tail)
      tail = []
    }
    tail.append(element)
  }

  @inlinable
  package mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    let first = Swift.min(range.lowerBound / Self.chunkSize, chunks.count)
    var rest = Chunk(self[(first &* Self.chunkSize)...])
    let start = range.lowerBound &- first &* Self.chunkSize
    rest.replaceSubrange(start..<start &+ range.count, with: elements)
    chunks.removeSubrange(first...)
    tail = rest
    divide()
    if tail.isEmpty, let last = chunks.popLast() { tail = last }
  }
}
