/// A list whose copies share most of their elements after a change.
///
/// In a list of some hundred pages, a change after a copy copies a few dozen references,
/// not all. The elements are in chunks of one size, except for the last ones; so a short
/// list is one array.
@frozen
@usableFromInline
package struct SharedList<Element: Sendable>: Sendable {
  @usableFromInline typealias Chunk = ContiguousArray<Element>

  /// The number of elements of a full chunk, and its binary logarithm.
  @inlinable
  static var chunkSize: Int { 1 &<< chunkShift }
  @inlinable
  static var chunkShift: Int { 5 }

  @usableFromInline var chunks: ContiguousArray<Chunk>
  /// The elements after the full chunks; empty only if the list is.
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

  /// Moves surplus elements of the tail into chunks.
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

  /// Changes an element in place.
  ///
  /// A change through the subscript does the same, but allocates memory for its frame.
  @inlinable
  @inline(__always)
  mutating func update<Result>(
    _ place: Int, _ body: (inout Element) -> Result
  ) -> Result {
    let chunk = place &>> Self.chunkShift
    let rest = place & (Self.chunkSize &- 1)
    return chunk == chunks.count ? body(&tail[rest]) : body(&chunks[chunk][rest])
  }

  /// Calls the body with the address of an element, which is valid during the call.
  ///
  /// Reading an element through the subscript retains what it refers to; see the benchmarks
  /// `orset.int.contains` and `mergemap.string.lookup`.
  @inlinable
  @inline(__always)
  func withElement<Result>(
    at place: Int, _ body: (UnsafePointer<Element>) -> Result
  ) -> Result {
    let chunk = place &>> Self.chunkShift
    let rest = place & (Self.chunkSize &- 1)
    if chunk == chunks.count { return tail.withElement(at: rest, body) }
    return chunks[chunk].withElement(at: rest, body)
  }

  /// Returns whether two lists hold their elements in the same storage.
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
  package var endIndex: Int { count }

  // The standard library's default implementations look up types at run time here.

  @inlinable
  package var count: Int { chunks.count &<< Self.chunkShift &+ tail.count }

  @inlinable
  package var isEmpty: Bool { tail.isEmpty }

  @inlinable
  package var first: Element? { (chunks.first ?? tail).first }

  @inlinable
  package var last: Element? { tail.last }

  @inlinable
  package func index(after place: Int) -> Int { place &+ 1 }

  @inlinable
  package func index(before place: Int) -> Int { place &- 1 }

  @inlinable
  package func index(_ place: Int, offsetBy distance: Int) -> Int { place &+ distance }

  @inlinable
  package func distance(from start: Int, to end: Int) -> Int { end &- start }

  /// The element at an index.
  @inlinable
  package subscript(place: Int) -> Element {
    @inline(__always)
    get {
      let chunk = place &>> Self.chunkShift
      let rest = place & (Self.chunkSize &- 1)
      return chunk == chunks.count ? tail[rest] : chunks[chunk][rest]
    }
    _modify {
      let chunk = place &>> Self.chunkShift
      let rest = place & (Self.chunkSize &- 1)
      if chunk == chunks.count {
        yield &tail[rest]
      } else {
        yield &chunks[chunk][rest]
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
      tail.reserveCapacity(Self.chunkSize)
    }
    tail.append(element)
  }

  @inlinable
  @discardableResult
  package mutating func remove(at place: Int) -> Element {
    guard place == count &- 1 else {
      let element = self[place]
      replaceSubrange(place..<place &+ 1, with: EmptyCollection())
      return element
    }
    let last = tail.removeLast()
    if tail.isEmpty, let chunk = chunks.popLast() { tail = chunk }
    return last
  }

  @inlinable
  package mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    if chunks.isEmpty, tail.count &- range.count &+ elements.count <= Self.chunkSize {
      return tail.replaceSubrange(range, with: elements)
    }
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

extension ContiguousArray {
  /// Calls the body with the address of an element, which is valid during the call.
  @inlinable
  @inline(__always)
  func withElement<Result>(
    at place: Int, _ body: (UnsafePointer<Element>) -> Result
  ) -> Result {
    withUnsafeBufferPointer { elements in
      precondition(UInt(bitPattern: place) < UInt(bitPattern: elements.count), "no such element")
      // A list that isn't empty has an address.
      return body(elements.baseAddress.unsafelyUnwrapped + place)
    }
  }
}
