/// Puts all elements of a table's texts into their order at once.
///
/// It lists the tree from the end of the last text to the beginning of the first. The right origin of a right
/// child stands after all that descend from the child's parent. So it has been listed when
/// the children of one parent are compared.
///
/// - Complexity: O(n log n) for n runs.
struct TextOrderBuilder: ~Copyable {
  typealias Element = SpanTree.Element

  /// A run of a page.
  struct Run {
    let anchor: TextAnchor
    let first: UInt64
    let count: Int
    let slot: Int
    /// The index of its page, and its own index there.
    let page: Int
    let place: Int
    /// The number of its replica.
    let number: UInt32

    func element(_ index: Int) -> Element {
      Element(replica: number, counter: first &+ UInt64(index))
    }
  }

  /// A run as a child of an element of another one.
  private struct Child {
    /// The index of the parent's run, of the parent in it, and 1 for a right child.
    ///
    /// The starts of texts have the indices after those of the runs.
    let key: UInt64
    let run: Int

    init(of parent: Int, at index: Int, isLeft: Bool, run: Int) {
      key = UInt64(parent) &<< 11 | UInt64(index) &<< 1 | (isLeft ? 0 : 1)
      self.run = run
    }

    var index: Int { Int(key &>> 1 & 0x3FF) }
    var isRight: Bool { key & 1 == 1 }
    var parent: Int { Int(key &>> 11) }
  }

  /// A step of the listing.
  private enum Step {
    /// List a run's elements from an index on, with all that descends from them; the
    /// run's children from an index on belong to them.
    case list(run: Int, from: Int, child: Int)
    /// List elements of a run in this range, and what descends from them on the left side;
    /// those children are in a range.
    case show(run: Int, Range<Int>, children: Range<Int>)
  }

  /// Elements of a run that were listed together.
  struct Listed {
    let run: Int
    let range: Range<Int>
    let hasLeftChild: Bool
    /// The index of what was listed of the same run before: elements after these.
    let earlier: Int
    /// The indices of its spans.
    var spans = 0..<0
  }

  /// A run among the right children of one parent.
  private struct Sibling {
    let run: Int
    /// When its right origin was listed, -1 for the end, and the index of that in its run.
    let listed: Int
    let index: Int
    let dot: Element

    static func < (left: Sibling, right: Sibling) -> Bool {
      if left.listed != right.listed { return left.listed < right.listed }
      if left.index != right.index { return left.index > right.index }
      return (left.dot.replica, left.dot.counter) < (right.dot.replica, right.dot.counter)
    }
  }

  private let replicas: ContiguousArray<ReplicaID>
  /// The order to which the elements are added, which has no others.
  private(set) var order: TextOrder
  var pages: ContiguousArray<TextPage> = []
  /// The first counter of each page.
  var pageStarts: ContiguousArray<UInt64> = []
  /// The index of each replica's first page, and the number of all.
  private var firstPage: ContiguousArray<Int> = []
  /// In the order of their dots.
  var runs: ContiguousArray<Run> = []
  /// The index of each page's first run, and the number of all.
  var firstRun: ContiguousArray<Int> = []
  /// Sorted by parents; those of the start come last.
  private var children: ContiguousArray<Child> = []
  /// The index of each run's first child.
  private var firstChild: ContiguousArray<Int> = []
  private var orphans: ContiguousArray<Int> = []
  /// The left origin of the first element of each run that is to be listed.
  var leftOrigins: ContiguousArray<Element?> = []
  private var isReached: ContiguousArray<Bool> = []
  private var steps: ContiguousArray<Step> = []
  var listed: ContiguousArray<Listed> = []
  var lastListed: ContiguousArray<Int> = []
  /// The number of what was listed before the text that is being listed.
  private var listedBefore = 0
  /// The start of the text that is to be read at once, and whether its spans are being made.
  let read: Dot?
  var isRead = false
  /// That text.
  var text: ContiguousArray<UInt8> = []

  /// - Parameters:
  ///   - columns: The replicas, in ascending order, with their elements.
  ///   - order: An order without elements, which numbers the replicas.
  ///   - read: The start of a text that is to be read at once.
  init(
    _ columns: ContiguousArray<(replica: ReplicaID, texts: TextColumn)>, order: TextOrder,
    reading read: Dot?
  ) {
    self.read = read
    replicas = ContiguousArray(columns.lazy.map(\.replica))
    self.order = order
    for (index, column) in columns.enumerated() {
      let number = index + 1
      firstPage.append(pages.count)
      for page in column.texts.pages {
        firstRun.append(runs.count)
        page.forEachRun { slots, anchor in
          runs.append(
            Run(
              anchor: anchor, first: page.counter(at: slots.lowerBound), count: slots.count,
              slot: slots.lowerBound, page: pages.count,
              place: runs.count &- firstRun[pages.count], number: UInt32(number)))
        }
        pages.append(page)
        pageStarts.append(page.first)
      }
    }
    firstPage.append(pages.count)
    firstRun.append(runs.count)
    findParents()
  }

  private mutating func findParents() {
    children.reserveCapacity(runs.count)
    let starts = Set(runs.lazy.map(\.anchor.parent).filter { $0.isStart && !$0.isNone })
    for start in starts.sorted() { _ = order.add(start) }
    for run in runs.indices {
      let anchor = runs[run].anchor
      if !anchor.rightOrigin.isNone, find(anchor.rightOrigin) == nil { order.isDoubtful = true }
      if anchor.parent.isStart {
        let start = order.elementIfKnown(ofStart: anchor.parent)?.counter ?? 1
        let parent = runs.count + Int(start) - 1
        children.append(Child(of: parent, at: 0, isLeft: false, run: run))
      } else if let parent = find(anchor.parent) {
        children.append(
          Child(of: parent.run, at: parent.index, isLeft: anchor.isLeft, run: run))
      } else {
        orphans.append(run)
        order.isDoubtful = true
      }
    }
    sortChildren()
    leftOrigins = ContiguousArray(repeating: nil, count: runs.count)
    isReached = ContiguousArray(repeating: false, count: runs.count)
    lastListed = ContiguousArray(repeating: -1, count: runs.count)
  }

  /// Sorts the children by their parents, and those of one parent by their runs.
  private mutating func sortChildren() {
    let parents = runs.count + order.starts.count
    firstChild = ContiguousArray(repeating: 0, count: parents + 1)
    for child in children { firstChild[child.parent + 1] += 1 }
    for parent in 0..<parents { firstChild[parent + 1] += firstChild[parent] }
    var next = firstChild
    var sorted = children
    for child in children {
      sorted[next[child.parent]] = child
      next[child.parent] += 1
    }
    sorted.withUnsafeMutableBufferPointer { sorted in
      for parent in 0..<parents where firstChild[parent + 1] - firstChild[parent] > 1 {
        var siblings = UnsafeMutableBufferPointer(
          rebasing: sorted[firstChild[parent]..<firstChild[parent + 1]])
        siblings.sort { $0.key == $1.key ? $0.run < $1.run : $0.key < $1.key }
      }
    }
    children = sorted
  }

  /// Returns the run that contains an element, and its index there.
  private func find(_ dot: Dot) -> (run: Int, index: Int)? {
    let number = replicas.indices.partitioningIndex { replicas[$0] >= dot.replica }
    guard number < replicas.count, replicas[number] == dot.replica else { return nil }
    let mine = firstPage[number]..<firstPage[number + 1]
    guard let page = page(from: TextPage.start(of: dot.counter), in: mine) else { return nil }
    let run =
      (firstRun[page]..<firstRun[page + 1]).partitioningIndex { runs[$0].first > dot.counter } - 1
    guard run >= firstRun[page], dot.counter - runs[run].first < UInt64(runs[run].count) else {
      return nil
    }
    return (run, Int(dot.counter - runs[run].first))
  }

  /// Returns which of some pages of a replica begins with a counter.
  private func page(from start: UInt64, in pages: Range<Int>) -> Int? {
    guard let first = pages.first, start >= pageStarts[first] else { return nil }
    // If no page is missing, the counter gives the index.
    let distance = (start &- pageStarts[first]) / UInt64(TextPage.slotCount)
    if distance < UInt64(pages.count), pageStarts[first + Int(distance)] == start {
      return first + Int(distance)
    }
    let place = pages.partitioningIndex { pageStarts[$0] >= start }
    return place < pages.upperBound && pageStarts[place] == start ? place : nil
  }
}

extension TextOrderBuilder {
  /// Adds the spans to the order.
  mutating func list() {
    for place in order.starts.indices.reversed() {
      let (parent, start) = (runs.count + place, Element(replica: 0, counter: UInt64(place) + 1))
      listedBefore = listed.count
      push(siblings(children[firstChild[parent]..<firstChild[parent + 1]]), leftOrigin: start)
      guard place == 0 else {
        runSteps()
        listed.append(Listed(run: parent, range: 0..<1, hasLeftChild: false, earlier: -1))
        continue
      }
      // Where there is no parent, the element stands at the end of the first text.
      push(orphans, leftOrigin: start)
      runSteps()
      // What is left is anchored in a circle: only a hostile peer makes such.
      for run in runs.indices.reversed() where !isReached[run] {
        order.isDoubtful = true
        push(run, leftOrigin: start)
        runSteps()
      }
      listed.append(Listed(run: parent, range: 0..<1, hasLeftChild: false, earlier: -1))
    }
    order.tree = makeSpans()
    if let read { order.string = (read, String(decoding: text, as: UTF8.self)) }
  }

  private mutating func push(_ runs: some Sequence<Int>, leftOrigin: Element?) {
    for run in runs { push(run, leftOrigin: leftOrigin) }
  }

  private mutating func push(_ run: Int, leftOrigin: Element?) {
    guard !isReached[run] else { return }
    leftOrigins[run] = leftOrigin
    steps.append(.list(run: run, from: 0, child: firstChild[run]))
  }

  private mutating func runSteps() {
    while let step = steps.popLast() {
      switch step {
      case .list(let run, let from, let child): list(run, from: from, child: child)
      case .show(let run, let range, let children): show(run, range, children: children)
      }
    }
  }

  private mutating func list(_ run: Int, from: Int, child: Int) {
    if from == 0 {
      if isReached[run] { return }
      isReached[run] = true
      // It has been listed; otherwise the order would be doubtful.
      _ = rank(runs[run].anchor.rightOrigin)
    }
    let end = firstChild[run + 1]
    var next = child
    while next < end, !children[next].isRight { next += 1 }
    guard next < end else {
      return steps.append(.show(run: run, from..<runs[run].count, children: child..<end))
    }
    let index = children[next].index
    var after = next
    while after < end, children[after].key == children[next].key { after += 1 }
    steps.append(.show(run: run, from..<index + 1, children: child..<next))
    let goesOn = index + 1 < runs[run].count
    if !goesOn, after == next + 1 {
      return push(children[next].run, leftOrigin: runs[run].element(index))
    }
    let sorted = siblings(
      children[next..<after], and: goesOn ? (run: run, index: index + 1) : nil)
    for sibling in sorted {
      if sibling == run {
        steps.append(.list(run: run, from: index + 1, child: after))
      } else {
        push(sibling, leftOrigin: runs[run].element(index))
      }
    }
  }

  private mutating func show(_ run: Int, _ range: Range<Int>, children: Range<Int>) {
    guard !children.isEmpty else { return note(run, range, hasLeftChild: false) }
    let last = self.children[children.upperBound - 1]
    var first = children.upperBound - 1
    while first > children.lowerBound, self.children[first - 1].key == last.key { first -= 1 }
    note(run, last.index..<range.upperBound, hasLeftChild: true)
    if last.index > range.lowerBound {
      steps.append(
        .show(run: run, range.lowerBound..<last.index, children: children.lowerBound..<first))
    }
    let leftOrigin = last.index > 0 ? runs[run].element(last.index - 1) : leftOrigins[run]
    for child in first..<children.upperBound {
      push(self.children[child].run, leftOrigin: leftOrigin)
    }
  }

  private mutating func note(_ run: Int, _ range: Range<Int>, hasLeftChild: Bool) {
    listed.append(
      Listed(
        run: run, range: range, hasLeftChild: hasLeftChild, earlier: lastListed[run]))
    lastListed[run] = listed.count - 1
  }

  /// Returns the runs of right children of one parent in their order; also the run of the
  /// parent, if it goes on at an index.
  private mutating func siblings(
    _ children: ArraySlice<Child>, and next: (run: Int, index: Int)? = nil
  ) -> ContiguousArray<Int> {
    guard children.count > 1 || next != nil else {
      return ContiguousArray(children.lazy.map(\.run))
    }
    var siblings: ContiguousArray<Sibling> = []
    siblings.reserveCapacity(children.count + 1)
    for child in children where child.run != next?.run {
      let (listed, index) = rank(runs[child.run].anchor.rightOrigin)
      siblings.append(
        Sibling(run: child.run, listed: listed, index: index, dot: runs[child.run].element(0)))
    }
    if let next {
      let (listed, index) = rank(runs[next.run].anchor.rightOriginOfNext)
      siblings.append(
        Sibling(
          run: next.run, listed: listed, index: index, dot: runs[next.run].element(next.index)))
    }
    siblings.sort(by: <)
    return ContiguousArray(siblings.lazy.map(\.run))
  }

  /// Returns when a right origin was listed, -1 for the end, and its index in its run.
  private mutating func rank(_ dot: Dot) -> (listed: Int, index: Int) {
    if dot.isNone { return (-1, 0) }
    guard let (run, index) = find(dot) else { return (-1, 0) }
    var place = lastListed[run]
    while place >= 0, !listed[place].range.contains(index) { place = listed[place].earlier }
    if place < listedBefore { order.isDoubtful = true }
    return (place, place < 0 ? 0 : index)
  }
}
