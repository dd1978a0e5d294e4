/// The total order of the elements of a replicated text, dead ones included, as spans.
///
/// This is a B+-tree. Its leaves hold the spans in order; an inner node holds, for each
/// child, the size of the living text below it. Nodes are rows of arenas and know their
/// parent by number, so the tree can be climbed from a leaf. A map leads from an element to
/// its leaf.
///
/// Copies share storage: the first change after a copy copies the references to the chunks
/// of the arenas, and the chunks that it changes.
///
/// Nodes are never removed. Spans disappear only by being joined with a neighbour, and a
/// leaf keeps at least one.
package struct SpanTree: Sendable {
  /// An element of the text.
  package struct Element: Hashable, Sendable {
    /// The number of the replica: an index into a list that the owner keeps.
    ///
    /// The tree keeps an array that reaches to the highest number, so numbers must be dense.
    package var replica: UInt32
    /// From 1 to 2⁵² - 1.
    package var counter: UInt64

    package init(replica: UInt32, counter: UInt64) {
      self.replica = replica
      self.counter = counter
    }
  }

  /// Consecutive elements of a replica that stand next to one another in the order.
  package struct Span: Equatable, Sendable {
    package var first: Element
    /// From 1 to 1,024.
    ///
    /// No span reaches across a border of a block of counters: the first
    /// block has the counters 1 to 1,024, the next one 1,025 to 2,048.
    package var count: Int
    package var isDead: Bool
    /// The element after which the first element was inserted.
    package var leftOrigin: Element?
    /// Whether the first element has a left child; the owner's mark.
    package var hasLeftChild = false
    /// The size of the living text: zero if the span is dead; otherwise it has `count` scalars.
    package var size: TextSize

    package init(
      first: Element, count: Int, isDead: Bool = false, leftOrigin: Element?, size: TextSize
    ) {
      self.first = first
      self.count = count
      self.isDead = isDead
      self.leftOrigin = leftOrigin
      self.size = size
    }
  }

  /// Where a span stands.
  ///
  /// A position is valid until the next change of the tree.
  package struct Position: Hashable, Sendable {
    var leaf: UInt32
    var slot: UInt32

    @inline(__always)
    init(leaf: UInt32, index: Int) {
      self.leaf = leaf
      slot = UInt32(truncatingIfNeeded: index)
    }

    @inline(__always)
    var index: Int { Int(slot) }
  }

  /// The leaf that was changed last.
  ///
  /// After the second change in a row of the same leaf, the next one is probably there too.
  /// From then on the tree knows the size of the text before the leaf, and adds up what the
  /// leaf grows by, instead of adding it to the inner nodes each time. They then have the
  /// sizes from before these changes, until `settle()`.
  struct Recent: Sendable {
    var leaf = SpanTree.noNode
    var isSizeKnown = false
    /// The size of the text before the leaf.
    var before = TextSize.zero
    /// What the inner nodes lack.
    ///
    /// It is zero if `isSizeKnown` is false.
    var growth = TextSize.zero
    /// The index of a span that was changed or searched last; no span before it has changed
    /// since.
    var index: Int?
    /// The size of the text before that span.
    var beforeSpan = TextSize.zero
  }

  static var noNode: UInt32 { .max }

  let leafCapacity: Int
  let innerCapacity: Int
  var leaves = Arena<LeafRow>()
  var leafHeaders = Arena<LeafHeader>()
  var innerNodes = Arena<InnerRow>()
  var elements = ElementMap()
  /// A leaf if `height` is 0, otherwise an inner node; `noNode` if the tree is empty.
  var root = SpanTree.noNode
  /// The number of levels of inner nodes.
  var height = 0
  var firstLeaf = SpanTree.noNode
  var lastLeaf = SpanTree.noNode
  var recent = Recent()

  /// The size of the living text.
  package internal(set) var size = TextSize.zero
  package internal(set) var spanCount = 0

  package init() {
    self.init(leafCapacity: LeafRow.width, innerCapacity: InnerRow.maxCapacity)
  }

  /// Creates an empty tree whose nodes are filled only in part, so that a few spans need
  /// several levels.
  init(leafCapacity: Int, innerCapacity: Int) {
    precondition((2...LeafRow.width).contains(leafCapacity))
    precondition((2...InnerRow.maxCapacity).contains(innerCapacity))
    self.leafCapacity = leafCapacity
    self.innerCapacity = innerCapacity
  }

  package var isEmpty: Bool { spanCount == 0 }

  package var first: Position? {
    isEmpty ? nil : Position(leaf: firstLeaf, index: 0)
  }

  package var last: Position? {
    isEmpty ? nil : Position(leaf: lastLeaf, index: spanCount(of: lastLeaf) - 1)
  }

  package subscript(position: Position) -> Span {
    precondition(position.index < spanCount(of: position.leaf), "the position is not valid")
    return Span(leaves[position.leaf, position.index])
  }

  /// The span at a position that is valid.
  @inline(__always)
  func packed(_ position: Position) -> PackedSpan { leaves[position.leaf, position.index] }

  @inline(__always)
  func spanCount(of leaf: UInt32) -> Int { Int(leafHeaders[leaf, 0].count) }

  /// Calls a closure with each span, in order.
  ///
  /// - Complexity: O(`spanCount`)
  package func forEachSpan(_ body: (Span) -> Void) {
    var leaf = firstLeaf
    while leaf != Self.noNode {
      let count = spanCount(of: leaf)
      leaves.read(leaf) { spans in
        for index in 0..<count { body(Span(spans[index])) }
      }
      leaf = self.leaf(after: leaf)
    }
  }
}

extension SpanTree.Span {
  /// The last element.
  var last: SpanTree.Element {
    SpanTree.Element(replica: first.replica, counter: first.counter &+ UInt64(count &- 1))
  }

  /// Whether each scalar takes one byte.
  var isASCII: Bool { size.utf8 == count }
}
