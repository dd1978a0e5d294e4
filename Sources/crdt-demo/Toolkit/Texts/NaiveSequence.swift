/// The name of an element: the replica that inserted it, and a number that this replica
/// uses once.
package struct ElementID: Hashable, Comparable, Sendable {
  package var replica: UInt64
  package var counter: UInt64

  package init(replica: UInt64, counter: UInt64) {
    self.replica = replica
    self.counter = counter
  }

  package static func < (left: ElementID, right: ElementID) -> Bool {
    (left.replica, left.counter) < (right.replica, right.counter)
  }
}

/// A replicated text by the rules of FugueMax (Weidner, Kleppmann, "The Art of the Fugue"),
/// with nothing that makes it fast: the model that an engine is compared with.
///
/// The elements form a tree below the start. The text is its traversal in order: the left
/// children of an element by ascending name, the element, its right children by descending
/// right origin, then by ascending name. Deleted elements stay, dead.
///
/// The order is kept as a list, into which an arriving element is put before the first or
/// after the last element of a sibling's subtree. For right siblings this compares positions
/// of right origins in that list. It is well founded: an element arrives after its parent and
/// its right origin, and elements that are in the list never change their order. So how two
/// siblings compare depends only on elements that come before both of them in every causal
/// order, and by induction is the same in each.
package struct NaiveSequence: Sendable {
  package enum Side: Hashable, Sendable {
    case left
    case right
  }

  package struct Node: Hashable, Sendable {
    package var id: ElementID
    package var scalar: Unicode.Scalar
    /// The parent, or `nil` for the start, which has right children only.
    package var parent: ElementID?
    package var side: Side
    /// What followed when a right child was inserted, or `nil` for the end.
    ///
    /// It means nothing in a left child, whose right origin is its parent.
    package var rightOrigin: ElementID?
    package var isDead: Bool

    package init(
      id: ElementID, scalar: Unicode.Scalar, parent: ElementID?, side: Side,
      rightOrigin: ElementID? = nil, isDead: Bool = false
    ) {
      self.id = id
      self.scalar = scalar
      self.parent = parent
      self.side = side
      self.rightOrigin = rightOrigin
      self.isDead = isDead
    }
  }

  private struct Siblings: Hashable {
    var parent: ElementID?
    var side: Side
  }

  /// The elements as they arrived: parents and right origins come before those that name them.
  package private(set) var nodes: [Node] = []
  /// The left origins of the nodes: what an insertion went after, or `nil` for the start.
  private var leftOrigins: [ElementID?] = []
  private var numbers: [ElementID: Int] = [:]
  /// Numbers of nodes, in order; the siblings here.
  private var children: [Siblings: [Int]] = [:]
  /// Numbers of all nodes, in order.
  private var order: [Int] = []
  /// Numbers of the living nodes, in order.
  private var visible: [Int] = []
  /// Indexes that were used last in `order` and `visible`, near which a search begins.
  private var recentIndex = 0
  private var recentVisibleIndex = 0

  package init() {}

  /// How many elements live.
  package var count: Int { visible.count }

  /// All elements in order, dead ones too.
  package var elements: [Node] { order.map { nodes[$0] } }

  /// The names of the living elements of a range of indexes.
  package func visibleIDs(in range: Range<Int>) -> [ElementID] {
    visible[range].map { nodes[$0].id }
  }

  package var text: String {
    var scalars = String.UnicodeScalarView()
    for number in visible { scalars.append(nodes[number].scalar) }
    return String(scalars)
  }

  package func node(_ id: ElementID) -> Node? { numbers[id].map { nodes[$0] } }

  /// What an element was inserted after, or `nil` for the start: of a right child its parent,
  /// of a left child the left origin of its parent.
  package func leftOrigin(of id: ElementID) -> ElementID? {
    numbers[id].flatMap { leftOrigins[$0] }
  }

  /// What an element was inserted before, or `nil` for the end.
  package func rightOrigin(of id: ElementID) -> ElementID? {
    node(id).flatMap { $0.side == .left ? $0.parent : $0.rightOrigin }
  }
}

extension NaiveSequence {
  /// Adds an element whose parent and right origin are here; returns whether it is new.
  ///
  /// An element that is here already only dies, if the node is dead.
  @discardableResult
  package mutating func insert(_ node: Node) -> Bool {
    guard numbers[node.id] == nil else {
      if node.isDead { delete(node.id) }
      return false
    }
    precondition(node.parent != nil || node.side == .right, "The start has no left children.")
    for origin in [node.parent, node.side == .right ? node.rightOrigin : nil] {
      precondition(
        origin.map { numbers[$0] != nil } ?? true, "\(node.id) arrived before its origin.")
    }
    let siblings = Siblings(parent: node.parent, side: node.side)
    let others = children[siblings, default: []]
    let rank = others.firstIndex { goesBefore(node, nodes[$0]) } ?? others.count
    let index = orderIndex(asChild: rank, among: others, of: siblings)

    let number = nodes.count
    nodes.append(node)
    leftOrigins.append(node.side == .right ? node.parent : node.parent.flatMap(leftOrigin))
    numbers[node.id] = number
    children[siblings, default: []].insert(number, at: rank)
    order.insert(number, at: index)
    recentIndex = index
    if !node.isDead { show(number, at: index) }
    return true
  }

  /// Marks an element dead; returns whether it lived.
  @discardableResult
  package mutating func delete(_ id: ElementID) -> Bool {
    guard let number = numbers[id] else { preconditionFailure("\(id) isn't here.") }
    guard !nodes[number].isDead else { return false }
    nodes[number].isDead = true
    let index = Self.index(of: number, in: visible, near: recentVisibleIndex)
    visible.remove(at: index)
    recentVisibleIndex = index
    return true
  }

  /// Takes in all elements of another sequence; what is dead in either is dead.
  package mutating func merge(_ other: NaiveSequence) {
    for node in other.nodes { insert(node) }
  }

  private func goesBefore(_ node: Node, _ sibling: Node) -> Bool {
    if node.side == .right, node.rightOrigin != sibling.rightOrigin {
      return orderIndex(of: node.rightOrigin) > orderIndex(of: sibling.rightOrigin)
    }
    return node.id < sibling.id
  }

  /// The index of an element, or the end.
  private func orderIndex(of id: ElementID?) -> Int {
    guard let id, let number = numbers[id] else { return order.count }
    return Self.index(of: number, in: order, near: recentIndex)
  }

  /// Where a new child of that rank goes.
  private func orderIndex(asChild rank: Int, among others: [Int], of siblings: Siblings) -> Int {
    if rank < others.count {
      return orderIndex(of: nodes[firstInSubtree(of: others[rank])].id)
    }
    if siblings.side == .left { return orderIndex(of: siblings.parent) }
    if let last = others.last {
      return orderIndex(of: nodes[lastInSubtree(of: last)].id) + 1
    }
    return siblings.parent.map { orderIndex(of: $0) + 1 } ?? 0
  }

  private func firstInSubtree(of number: Int) -> Int {
    var first = number
    while let child = children[Siblings(parent: nodes[first].id, side: .left)]?.first {
      first = child
    }
    return first
  }

  private func lastInSubtree(of number: Int) -> Int {
    var last = number
    while let child = children[Siblings(parent: nodes[last].id, side: .right)]?.last {
      last = child
    }
    return last
  }

  /// Adds a living element to the visible ones: after the last that comes before it.
  private mutating func show(_ number: Int, at index: Int) {
    let before = order[..<index].last { !nodes[$0].isDead }
    recentVisibleIndex =
      before.map { Self.index(of: $0, in: visible, near: recentVisibleIndex) + 1 } ?? 0
    visible.insert(number, at: recentVisibleIndex)
  }

  /// The index of a number that is in a list; it looks around a guess first.
  private static func index(of number: Int, in list: [Int], near guess: Int) -> Int {
    for index in max(guess - 4, 0)..<max(min(guess + 4, list.count), 0)
    where list[index] == number {
      return index
    }
    guard let index = list.firstIndex(of: number) else {
      preconditionFailure("An element isn't in the list.")
    }
    return index
  }
}

extension NaiveSequence {
  /// The node that a replica makes to insert a scalar before the visible element of that
  /// index, or at the end.
  ///
  /// It goes after the visible element before, L, or the start. Let next be the element after
  /// L, dead ones counted. If next was inserted after L, too, the new element is a left child
  /// of next; else a right child of L, with next as right origin.
  package func makeInsert(
    at visibleIndex: Int, _ scalar: Unicode.Scalar, replica: UInt64, counter: UInt64
  ) -> Node {
    let id = ElementID(replica: replica, counter: counter)
    let (left, next) = neighbours(ofGap: visibleIndex)
    return makeInsert(scalar, id, between: left, and: next)
  }

  /// The visible element before an index, and the one after that, dead ones counted.
  private func neighbours(ofGap visibleIndex: Int) -> (left: ElementID?, next: ElementID?) {
    precondition(0...visible.count ~= visibleIndex, "No such index: \(visibleIndex).")
    let left = visibleIndex == 0 ? nil : nodes[visible[visibleIndex - 1]].id
    let nextIndex = left.map { orderIndex(of: $0) + 1 } ?? 0
    return (left, nextIndex < order.count ? nodes[order[nextIndex]].id : nil)
  }

  /// The node that is made where one element follows another, or the start and the end.
  private func makeInsert(
    _ scalar: Unicode.Scalar, _ id: ElementID, between left: ElementID?, and next: ElementID?
  ) -> Node {
    guard let next else { return Node(id: id, scalar: scalar, parent: left, side: .right) }
    return leftOrigin(of: next) == left
      ? Node(id: id, scalar: scalar, parent: next, side: .left)
      : Node(id: id, scalar: scalar, parent: left, side: .right, rightOrigin: next)
  }

  /// The nodes that a replica makes to insert scalars, with consecutive counters.
  package func makeInserts(
    at visibleIndex: Int, _ text: String, replica: UInt64, firstCounter: UInt64
  ) -> [Node] {
    let (left, next) = neighbours(ofGap: visibleIndex)
    return makeInserts(
      text.unicodeScalars, replica: replica, firstCounter: firstCounter, between: left, and: next)
  }

  /// The nodes that a replica makes to insert scalars between a visible element, or the start,
  /// and the one that follows it where the replica writes, dead ones counted.
  ///
  /// There may be more elements between them here. Each node but the first is a right child of
  /// the one before. Their right origin is that of the first, which for a left child is its
  /// parent.
  package func makeInserts(
    _ scalars: some Sequence<Unicode.Scalar>, replica: UInt64, firstCounter: UInt64,
    between left: ElementID?, and next: ElementID?
  ) -> [Node] {
    var made: [Node] = []
    for scalar in scalars {
      guard let first = made.first, let previous = made.last else {
        let id = ElementID(replica: replica, counter: firstCounter)
        made.append(makeInsert(scalar, id, between: left, and: next))
        continue
      }
      let id = ElementID(replica: replica, counter: previous.id.counter + 1)
      made.append(
        Node(
          id: id, scalar: scalar, parent: previous.id, side: .right,
          rightOrigin: first.side == .left ? first.parent : first.rightOrigin))
    }
    return made
  }
}
