/// The order of the elements of a text, derived from their anchors.
///
/// The texts of a table stand one after another. Each begins with an element that stands
/// for its start: dead, and without a left origin.
///
/// It is never encoded. It is made when somebody first reads or edits the text, and brought
/// up to date after a merge.
struct TextOrder: Sendable {
  var tree = SpanTree()
  /// The replicas, by the numbers that the tree uses; number 0 is that of the starts.
  private(set) var replicas: ContiguousArray<ReplicaID> = [ReplicaID(0)]
  private var numbers: [ReplicaID: UInt32] = [:]
  /// The starts of the texts, in order; the counter of the first one's element is 1.
  private(set) var starts: ContiguousArray<Dot> = []
  private var placesOfStarts: [Dot: UInt64] = [:]
  /// The pages of each replica, as they were when the order was brought up to date.
  var marks: ContiguousArray<ContiguousArray<TextPage.Mark>> = [[]]
  /// The last event of each replica whose element is in the tree.
  var covered: ContiguousArray<UInt64> = [0]
  /// Whether an anchor names an element that there isn't, as only a hostile peer makes them.
  ///
  /// Then the order is made anew after each change, so that it depends on nothing but the
  /// elements.
  var isDoubtful = false
  /// The number of spans among which places were searched since the last update.
  var searched = 0
  /// The text that was read last, if that was since the last change.
  var string: (start: Dot, string: String)?
  /// The elements that stand for dead ones, if they were asked for since one was added.
  var standIns: StandIns?

  typealias Element = SpanTree.Element

  init() {
    tree.append(SpanTree.Span(ofStart: add(.none)))
  }

  /// Returns the number of a replica.
  mutating func number(of replica: ReplicaID) -> UInt32 {
    if let number = number(known: replica) { return UInt32(number) }
    let number = UInt32(replicas.count)
    numbers[replica] = number
    replicas.append(replica)
    marks.append([])
    covered.append(0)
    return number
  }

  /// Returns the number of a replica if it has one.
  func number(known replica: ReplicaID) -> Int? {
    // Of few, comparing is faster than hashing.
    if replicas.count <= 8 { return replicas[1...].firstIndex(of: replica) }
    return numbers[replica].map { Int($0) }
  }

  /// Returns the element at a dot; `nil` if it isn't in the order.
  func element(_ dot: Dot) -> Element? {
    if dot.isStart { return elementIfKnown(ofStart: dot) }
    guard let number = number(known: dot.replica), dot.counter <= covered[number] else {
      return nil
    }
    return Element(replica: UInt32(number), counter: dot.counter)
  }

  func dot(_ element: Element) -> Dot {
    if element.replica == 0 { return starts[Int(element.counter) &- 1] }
    return Dot(replicas[Int(element.replica)], element.counter)
  }

  /// Returns the element of a text's start; the text is added after the others if it is new.
  mutating func element(ofStart start: Dot) -> Element {
    if let element = elementIfKnown(ofStart: start) { return element }
    let element = add(start)
    tree.append(SpanTree.Span(ofStart: element))
    return element
  }

  /// Adds a text's start, without an element in the tree.
  mutating func add(_ start: Dot) -> Element {
    starts.append(start)
    placesOfStarts[start] = UInt64(starts.count)
    covered[0] = UInt64(starts.count)
    return Element(replica: 0, counter: UInt64(starts.count))
  }

  /// Returns the element of a text's start; `nil` if the text is empty and always was.
  func elementIfKnown(ofStart start: Dot) -> Element? {
    if start.isNone { return Element(replica: 0, counter: 1) }
    return placesOfStarts[start].map { Element(replica: 0, counter: $0) }
  }
}

extension SpanTree.Element {
  /// Whether it stands for a text's start.
  var isStart: Bool { replica == 0 }
}

extension SpanTree.Span {
  /// The span of the element that stands for a text's start.
  init(ofStart element: SpanTree.Element) {
    self.init(first: element, count: 1, isDead: true, leftOrigin: nil, size: .zero)
  }
}

/// The elements of a text's table, by dot.
protocol TextElements {
  /// Returns the page and slot of an element.
  func textElement(at dot: Dot) -> (page: TextPage, slot: Int)?
}

extension TextElements {
  func anchor(of dot: Dot) -> TextAnchor? {
    textElement(at: dot).map { $0.page.anchor(of: $0.slot) }
  }
}

/// Consecutive elements of a page to be put into the order.
struct TextPiece {
  let page: TextPage
  let slots: Range<Int>
  let isDead: Bool
  let anchor: TextAnchor

  init(_ page: TextPage, _ slots: Range<Int>, isDead: Bool) {
    self.page = page
    self.slots = slots
    self.isDead = isDead
    anchor = page.anchor(of: slots.lowerBound)
  }

  var first: Dot { Dot(page.replica, page.counter(at: slots.lowerBound)) }
  var lastCounter: UInt64 { page.counter(at: slots.upperBound &- 1) }

  /// The size of the living text, if it is known already.
  var knownSize: TextSize?

  /// Whether its first element stands for a dead one; a hostile peer may send the elements of
  /// such a run one by one.
  var standsForOthers: Bool {
    guard page.hasStandIns else { return false }
    let run = page.runs[page.run(of: slots.lowerBound)]
    return Int(run.standInCount) > slots.lowerBound - Int(run.slot)
  }

  /// The size of the living text.
  var size: TextSize {
    knownSize ?? (isDead ? .zero : page.withText(of: slots) { TextSize(of: $0) })
  }
}

extension TextOrder {
  /// Puts elements into the order, after all that they are anchored to.
  mutating func place(_ piece: TextPiece, in elements: some TextElements) {
    let number = number(of: piece.page.replica)
    let first = Element(replica: number, counter: piece.first.counter)
    // Within a run, the anchor names what that of the run's first element does.
    let isStart = piece.page.isRunStart(piece.slots.lowerBound)
    let anchor = isStart ? resolved(piece.anchor) : piece.anchor
    covered[Int(number)] = piece.lastCounter
    string = nil
    if piece.standsForOthers { standIns = nil }
    let parent =
      anchor.parent.isStart
      ? element(ofStart: anchor.parent) : element(anchor.parent) ?? element(ofStart: .none)
    var leftOrigin = parent
    let next: SpanTree.Position?
    if anchor.isLeft, let origin = self.leftOrigin(of: parent) {
      leftOrigin = origin
      next = placeOfLeftChild(of: parent, leftOrigin, piece.first, in: elements)
    } else {
      if extend(parent, by: piece, first) { return }
      next = placeOfRightChild(of: parent, anchor, piece.first, in: elements)
    }
    _ = tree.insert(
      SpanTree.Span(
        first: first, count: piece.slots.count, isDead: piece.isDead, leftOrigin: leftOrigin,
        size: piece.size),
      before: next)
  }

  /// Returns the anchor without the elements that the order doesn't have.
  private mutating func resolved(_ anchor: TextAnchor) -> TextAnchor {
    if !anchor.parent.isStart, element(anchor.parent).flatMap(tree.find) == nil {
      isDoubtful = true
      return .right(of: .none, before: .none)
    }
    var anchor = anchor
    guard !anchor.rightOrigin.isNone else { return anchor }
    if let rightOrigin = element(anchor.rightOrigin), tree.find(rightOrigin) != nil {
      if !follows(rightOrigin, allBelow: anchor.parent) { isDoubtful = true }
    } else {
      isDoubtful = true
      anchor.rightOrigin = .none
    }
    return anchor
  }

  /// Returns whether an element stands after all that descend from another one, as every
  /// right origin does: its left origin stands before that one.
  private func follows(_ element: Element, allBelow parent: Dot) -> Bool {
    guard let parent = self.element(parent), isBefore(parent, element) else { return false }
    return leftOrigin(of: element).map { isBefore($0, parent) } ?? true
  }

  /// Returns whether an element stands before another one.
  func isBefore(_ one: Element, _ other: Element) -> Bool {
    guard let left = tree.find(one), let right = tree.find(other) else { return false }
    return left == right ? one.counter < other.counter : tree.isBefore(left, right)
  }

  /// Lengthens the span that ends with the piece's parent if the piece continues it and the
  /// parent has no other right child.
  private mutating func extend(
    _ parent: Element, by piece: TextPiece, _ first: Element
  ) -> Bool {
    guard parent.replica == first.replica, parent.counter &+ 1 == first.counter,
      piece.slots.lowerBound > 0, let position = tree.find(parent)
    else { return false }
    let span = tree.packed(position)
    guard span.isDead == piece.isDead, span.last == parent else { return false }
    if let next = tree.position(after: position), tree.packed(next).leftOrigin == parent {
      return false
    }
    tree.extend(position, by: piece.slots.count, size: piece.size)
    return true
  }

  /// Returns the element after which an element was inserted; `nil` for a text's start.
  func leftOrigin(of element: Element) -> Element? {
    guard let position = tree.find(element) else { return nil }
    let span = tree[position]
    if span.first == element { return span.leftOrigin }
    return Element(replica: element.replica, counter: element.counter &- 1)
  }

  /// Returns the span before which a left child of an element stands.
  private mutating func placeOfLeftChild(
    of parent: Element, _ leftOrigin: Element, _ dot: Dot, in elements: some TextElements
  ) -> SpanTree.Position? {
    guard let position = split(before: parent, in: elements) else { return nil }
    guard tree[position].hasLeftChild else {
      tree.noteLeftChild(of: position)
      return position
    }
    let anchor = TextAnchor.left(of: self.dot(parent))
    return placeAmongSiblings(after: leftOrigin, anchor, dot, in: elements)
  }

  /// Returns the span before which a right child of an element stands; `nil` for the end.
  private mutating func placeOfRightChild(
    of parent: Element, _ anchor: TextAnchor, _ dot: Dot, in elements: some TextElements
  ) -> SpanTree.Position? {
    guard let next = split(after: parent, in: elements) else { return nil }
    if tree[next].leftOrigin != parent { return next }
    return placeAmongSiblings(after: parent, anchor, dot, in: elements)
  }

  /// Splits the span of an element before it; returns the position of the element.
  mutating func split(
    before element: Element, in elements: some TextElements
  ) -> SpanTree.Position? {
    guard let position = tree.find(element) else { return nil }
    let span = tree[position]
    let count = Int(element.counter &- span.first.counter)
    return count == 0 ? position : split(position, span, at: count, in: elements)
  }

  /// Splits the span of an element after it; returns the position that follows.
  mutating func split(
    after element: Element, in elements: some TextElements
  ) -> SpanTree.Position? {
    guard let position = tree.find(element) else { return nil }
    let span = tree[position]
    let count = Int(element.counter &- span.first.counter) &+ 1
    if count == span.count { return tree.position(after: position) }
    return split(position, span, at: count, in: elements)
  }

  /// Splits a span after some of its elements; returns the position of the others.
  private mutating func split(
    _ position: SpanTree.Position, _ span: SpanTree.Span, at count: Int,
    in elements: some TextElements
  ) -> SpanTree.Position {
    tree.split(position, at: count, size: size(of: span, upTo: count, in: elements))
  }

  /// Returns the size of the first elements of a span.
  func size(
    of span: SpanTree.Span, upTo count: Int, in elements: some TextElements
  ) -> TextSize {
    if span.isDead || count == 0 { return .zero }
    if count == span.count { return span.size }
    if span.isASCII, span.size.lines == 0 {
      var size = TextSize.zero
      (size.scalars, size.utf16, size.utf8) = (count, count, count)
      return size
    }
    guard let (page, slot) = elements.textElement(at: dot(span.first)) else { return .zero }
    return page.withText(of: slot..<slot &+ count) { TextSize(of: $0) }
  }
}
