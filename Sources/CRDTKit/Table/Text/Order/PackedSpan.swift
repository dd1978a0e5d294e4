/// A span in 32 bytes.
struct PackedSpan: BitwiseCopyable, Sendable {
  /// The numbers of characters, 16 bits each, in the order of `TextUnit`.
  struct Size: BitwiseCopyable, Sendable {
    private(set) var bits: UInt64 = 0

    init() {}

    /// - Precondition: The size is that of a span, so no number is above 4,096.
    @inline(__always)
    init(_ size: TextSize) {
      bits =
        UInt64(truncatingIfNeeded: size.scalars) | UInt64(truncatingIfNeeded: size.utf16) &<< 16
        | UInt64(truncatingIfNeeded: size.utf8) &<< 32
        | UInt64(truncatingIfNeeded: size.lines) &<< 48
    }

    @inline(__always)
    subscript(unit: TextUnit) -> Int {
      Int(truncatingIfNeeded: bits &>> UInt64(16 &* unit.rawValue) & 0xFFFF)
    }
  }

  /// The sum of the sizes of the spans of a leaf.
  struct Sum {
    // Each number has 32 bits here, of which a leaf uses 17.
    private var even: UInt64 = 0
    private var odd: UInt64 = 0

    @inline(__always)
    mutating func add(_ size: Size) {
      even &+= size.bits & 0x0000_FFFF_0000_FFFF
      odd &+= size.bits &>> 16 & 0x0000_FFFF_0000_FFFF
    }

    @inline(__always)
    var size: TextSize {
      TextSize(
        scalars: Int(even & 0xFFFF_FFFF), utf16: Int(odd & 0xFFFF_FFFF),
        utf8: Int(even &>> 32), lines: Int(odd &>> 32)
      )
    }
  }

  /// The counter from bit 12, the number of elements from bit 1, and whether they are dead.
  private var bits: UInt64 = 0
  var size = Size()
  /// The counter of the left origin, or 0 if there is none; and the highest bit if the first
  /// element has a left child.
  private var originCounter: UInt64 = 0
  private var originReplica: UInt32 = 0
  private(set) var replica: UInt32 = 0

  static var maxCount: Int { 1 &<< 10 }
  static var maxCounter: UInt64 { 1 &<< 52 &- 1 }

  init() {}

  @inline(__always)
  init(_ span: SpanTree.Span) {
    bits = span.first.counter &<< 12 | UInt64(span.count) &<< 1 | (span.isDead ? 1 : 0)
    size = Size(span.size)
    replica = span.first.replica
    leftOrigin = span.leftOrigin
    hasLeftChild = span.hasLeftChild
  }

  @inline(__always)
  var counter: UInt64 { bits &>> 12 }

  var first: SpanTree.Element {
    @inline(__always)
    get { SpanTree.Element(replica: replica, counter: counter) }
    set {
      bits = newValue.counter &<< 12 | bits & 0xFFF
      replica = newValue.replica
    }
  }

  @inline(__always)
  var last: SpanTree.Element {
    SpanTree.Element(replica: replica, counter: counter &+ UInt64(count) &- 1)
  }

  var count: Int {
    @inline(__always)
    get { Int(bits &>> 1 & 0x7FF) }
    @inline(__always)
    set { bits = bits & ~0xFFE | UInt64(newValue) &<< 1 }
  }

  /// Whether each scalar takes one byte.
  @inline(__always)
  var isASCII: Bool { size[.utf8] == count }

  /// Returns whether an element is in the span.
  @inline(__always)
  func contains(_ element: SpanTree.Element) -> Bool {
    replica == element.replica && element.counter &- counter < UInt64(count)
  }

  var isDead: Bool {
    @inline(__always)
    get { bits & 1 == 1 }
    @inline(__always)
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  var leftOrigin: SpanTree.Element? {
    @inline(__always)
    get {
      let counter = originCounter & ~Self.leftChildBit
      return counter == 0 ? nil : SpanTree.Element(replica: originReplica, counter: counter)
    }
    @inline(__always)
    set {
      originCounter = originCounter & Self.leftChildBit | (newValue?.counter ?? 0)
      originReplica = newValue?.replica ?? 0
    }
  }

  private static var leftChildBit: UInt64 { 1 &<< 63 }

  var hasLeftChild: Bool {
    @inline(__always)
    get { originCounter & Self.leftChildBit != 0 }
    @inline(__always)
    set { originCounter = originCounter & ~Self.leftChildBit | (newValue ? Self.leftChildBit : 0) }
  }

  /// Whether this span and the next one in the order can be one.
  func canJoin(_ next: PackedSpan) -> Bool { isDead == next.isDead && isContinued(by: next) }

  /// Whether the next span in the order goes on with this one's elements, in the same block.
  func isContinued(by next: PackedSpan) -> Bool {
    replica == next.replica && counter &+ UInt64(count) == next.counter
      && next.leftOrigin == last
      && ElementMap.block(of: counter) == ElementMap.block(of: next.last.counter)
  }
}

extension SpanTree.Span {
  @inline(__always)
  init(_ packed: PackedSpan) {
    self.init(
      first: packed.first, count: packed.count, isDead: packed.isDead,
      leftOrigin: packed.leftOrigin, size: TextSize(packed.size)
    )
    hasLeftChild = packed.hasLeftChild
  }
}

extension TextSize {
  @inline(__always)
  init(_ packed: PackedSpan.Size) {
    self.init(
      scalars: packed[.scalars], utf16: packed[.utf16], utf8: packed[.utf8],
      lines: packed[.lines]
    )
  }
}
