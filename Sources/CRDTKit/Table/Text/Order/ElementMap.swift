/// Leads from an element to the leaf with its span.
///
/// The counters of a replica are divided into blocks of 1,024, and the blocks into pages of
/// 64, so a change after a copy copies one block, and references to one page of blocks and
/// to the pages of one replica. A block has an entry for each span in it. A block without
/// spans takes no memory, so high counters are harmless.
struct ElementMap: Sendable {
  struct Entry: BitwiseCopyable, Sendable {
    /// The first element of the span, counted from the start of the block.
    var start: UInt32
    var leaf: UInt32
  }

  /// The spans of a block, in the order of `start`.
  typealias Block = ContiguousArray<Entry>
  typealias Page = NumberedList<Block>

  /// Where an entry is.
  private struct Place {
    var replica: Int
    var page: Int
    var block: Int
    var entry: Int
  }

  private(set) var replicas: ContiguousArray<NumberedList<Page>> = []

  @inline(__always)
  static func block(of counter: UInt64) -> UInt64 { (counter &- 1) &>> 10 }

  @inline(__always)
  private static func page(of counter: UInt64) -> UInt64 { (counter &- 1) &>> 16 }

  @inline(__always)
  static func start(of counter: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (counter &- 1) & 1023)
  }

  /// Returns the leaf and the first counter of the last span that starts at or before an
  /// element, in its block.
  ///
  /// - Complexity: O(log n) in the number of spans of the block; and in that of the pages of
  ///   the replica if some are missing among them.
  func find(_ element: SpanTree.Element) -> (leaf: UInt32, counter: UInt64)? {
    guard element.replica < replicas.count, element.counter > 0,
      let place = place(of: element)
    else { return nil }
    let entry = replicas[place.replica].items[place.page].value.items[place.block]
      .value[place.entry]
    let start = Self.block(of: element.counter) &<< 10 &+ UInt64(entry.start)
    return (entry.leaf, start &+ 1)
  }

  /// Returns the place of the last span that starts at or before an element, in its block.
  @inline(__always)
  private func place(of element: SpanTree.Element) -> Place? {
    let replica = Int(element.replica)
    let number = Self.block(of: element.counter)
    guard let page = replicas[replica].find(Self.page(of: element.counter)),
      let block = replicas[replica].items[page].value.find(number)
    else { return nil }
    let next = Self.index(
      after: Self.start(of: element.counter),
      in: replicas[replica].items[page].value.items[block].value
    )
    return next == 0 ? nil : Place(replica: replica, page: page, block: block, entry: next &- 1)
  }

  /// Adds a span.
  mutating func insert(_ first: SpanTree.Element, leaf: UInt32) {
    let replica = Int(first.replica)
    while replicas.count <= replica { replicas.append(NumberedList()) }
    let entry = Entry(start: Self.start(of: first.counter), leaf: leaf)
    let number = Self.block(of: first.counter)
    replicas[replica].update(Self.page(of: first.counter), ifMissing: Page()) { page in
      page.update(number, ifMissing: []) { Self.insert(entry, into: &$0) }
    }
  }

  @inline(__always)
  private static func insert(_ entry: Entry, into entries: inout Block) {
    if let last = entries.last, last.start >= entry.start {
      let next = index(after: entry.start, in: entries)
      precondition(
        next == 0 || entries[next &- 1].start != entry.start, "the tree has the element already"
      )
      entries.insert(entry, at: next)
    } else {
      entries.append(entry)
    }
  }

  /// Adds the block that an event is in, after all that the replica has.
  mutating func append(_ block: Block, at counter: UInt64, of replica: UInt32) {
    guard !block.isEmpty else { return }
    while replicas.count <= Int(replica) { replicas.append(NumberedList()) }
    replicas[Int(replica)].update(Self.page(of: counter), ifMissing: Page()) {
      $0.items.append(Page.Item(number: Self.block(of: counter), value: block))
    }
  }

  /// Removes a span.
  mutating func remove(_ first: SpanTree.Element) {
    update(first) { entries, index in entries.remove(at: index) }
  }

  /// Notes that a span is in another leaf now.
  mutating func move(_ first: SpanTree.Element, to leaf: UInt32) {
    update(first) { entries, index in entries[index].leaf = leaf }
  }

  /// Notes that a span begins at another element now, which is between its neighbours.
  mutating func move(_ first: SpanTree.Element, to other: SpanTree.Element) {
    update(first) { entries, index in entries[index].start = Self.start(of: other.counter) }
  }

  @inline(__always)
  private mutating func update(
    _ first: SpanTree.Element, _ body: (inout Block, _ index: Int) -> Void
  ) {
    guard let place = place(of: first) else { preconditionFailure("\(first) has no entry") }
    body(
      &replicas[place.replica].items[place.page].value.items[place.block].value, place.entry
    )
  }

  /// Returns the index of the first entry that starts after a place.
  @inline(__always)
  private static func index(after start: UInt32, in entries: Block) -> Int {
    entries.withUnsafeBufferPointer { entries in
      // The spans before this one have at least one element each.
      var count = min(entries.count, Int(start) &+ 1)
      var low = 0
      guard count > 0 else { return 0 }
      if entries[count &- 1].start <= start { return count }
      while count > 1 {
        // Without a branch, which would be mispredicted every other time.
        let half = count &>> 1
        low &+= entries[low &+ half &- 1].start <= start ? half : 0
        count &-= half
      }
      return entries[low].start <= start ? low &+ 1 : low
    }
  }
}
