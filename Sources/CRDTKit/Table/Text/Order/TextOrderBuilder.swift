/// Puts all elements of a table's texts into their order at once.
///
/// It lists the tree from the end of the last text to the beginning of the first. The right origin of a right
/// child stands after all that descend from the child's parent. So it has been listed when
/// the children of one parent are compared.
///
/// - Complexity: O(n log n) for n runs.
struct TextOrderBuilder {
  private typealias Element = SpanTree.Element

  /// A run of a page.
  private struct Run {
    let page: TextPage
    let slots: Range<Int>
    let anchor: TextAnchor
    /// The number of its replica.
    let number: UInt32

    var count: Int { slots.count }
    var first: UInt64 { page.counter(at: slots.lowerBound) }

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
  private struct Listed {
    let run: Int
    let range: Range<Int>
    let hasLeftChild: Bool
    /// The index of what was listed of the same run before.
    let earlier: Int
  }

  private let replicas: ContiguousArray<ReplicaID>
  /// The order to which the elements are added, which has no others.
  private(set) var order: TextOrder
  /// In the order of their dots.
  private var runs: ContiguousArray<Run> = []
  /// The index of each replica's first run, and the number of all.
  private var starts: ContiguousArray<Int> = []
  /// Sorted by parents; those of the start come last.
  private var children: ContiguousArray<Child> = []
  /// The index of each run's first child.
  private var firstChild: ContiguousArray<Int> = []
  private var orphans: ContiguousArray<Int> = []
  /// The left origin of the first element of each run that is to be listed.
  private var leftOrigins: ContiguousArray<Element?> = []
  private var isReached: ContiguousArray<Bool> = []
  private var steps: ContiguousArray<Step> = []
  private var listed: ContiguousArray<Listed> = []
  private var lastListed: ContiguousArray<Int> = []
  /// The number of what was listed before the text that is being listed.
  private var listedBefore = 0

  /// - Parameters:
  ///   - columns: The replicas, in ascending order, with their elements.
  ///   - order: An order without elements, which numbers the replicas.
  init(_ columns: ContiguousArray<(replica: ReplicaID, texts: TextColumn)>, order: TextOrder) {
    replicas = ContiguousArray(columns.lazy.map(\.replica))
    self.order = order
    for (index, column) in columns.enumerated() {
      let number = index + 1
      starts.append(runs.count)
      for page in column.texts.pages {
        page.forEachRun { slots in
          runs.append(
            Run(
              page: page, slots: slots, anchor: page.anchor(of: slots.lowerBound),
              number: UInt32(number)))
        }
      }
    }
    starts.append(runs.count)
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
    children.sort { $0.key == $1.key ? $0.run < $1.run : $0.key < $1.key }
    let parents = runs.count + order.starts.count
    firstChild = ContiguousArray(repeating: 0, count: parents + 1)
    for child in children { firstChild[child.parent + 1] += 1 }
    for parent in 0..<parents { firstChild[parent + 1] += firstChild[parent] }
    leftOrigins = ContiguousArray(repeating: nil, count: runs.count)
    isReached = ContiguousArray(repeating: false, count: runs.count)
    lastListed = ContiguousArray(repeating: -1, count: runs.count)
  }

  /// Returns the run that contains an element, and its index there.
  private func find(_ dot: Dot) -> (run: Int, index: Int)? {
    let number = replicas.indices.partitioningIndex { replicas[$0] >= dot.replica }
    guard number < replicas.count, replicas[number] == dot.replica else { return nil }
    let mine = starts[number]..<starts[number + 1]
    let run = mine.partitioningIndex { runs[$0].first > dot.counter } - 1
    guard run >= mine.lowerBound, dot.counter - runs[run].first < UInt64(runs[run].count) else {
      return nil
    }
    return (run, Int(dot.counter - runs[run].first))
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
        push([run], leftOrigin: start)
        runSteps()
      }
    }
    var tree = order.tree
    for part in listed.reversed() { append(part, to: &tree) }
    order.tree = tree
  }

  private mutating func push(_ runs: ContiguousArray<Int>, leftOrigin: Element?) {
    for run in runs where !isReached[run] {
      leftOrigins[run] = leftOrigin
      steps.append(.list(run: run, from: 0, child: firstChild[run]))
    }
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
    let sorted = siblings(
      children[next..<after], and: goesOn ? (run: run, index: index + 1) : nil)
    for sibling in sorted {
      if sibling == run {
        steps.append(.list(run: run, from: index + 1, child: after))
      } else {
        push([sibling], leftOrigin: runs[run].element(index))
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
    push(
      ContiguousArray(self.children[first..<children.upperBound].lazy.map(\.run)),
      leftOrigin: last.index > 0 ? runs[run].element(last.index - 1) : leftOrigins[run])
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
    var siblings = ContiguousArray(children.lazy.map(\.run))
    if let next { siblings.append(next.run) }
    guard siblings.count > 1 else { return siblings }
    var ranks: [Int: (listed: Int, index: Int, dot: Element)] = [:]
    for run in siblings {
      let isNext = run == next?.run
      let anchor = runs[run].anchor
      let (listed, index) = rank(isNext ? anchor.rightOriginOfNext : anchor.rightOrigin)
      ranks[run] = (listed, index, runs[run].element(isNext ? next?.index ?? 0 : 0))
    }
    siblings.sort { left, right in
      guard let mine = ranks[left], let theirs = ranks[right] else { return left < right }
      if mine.listed != theirs.listed { return mine.listed < theirs.listed }
      if mine.index != theirs.index { return mine.index > theirs.index }
      return (mine.dot.replica, mine.dot.counter) < (theirs.dot.replica, theirs.dot.counter)
    }
    return siblings
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

  /// Adds elements that were listed together, in spans of living and of dead ones.
  private func append(_ part: Listed, to tree: inout SpanTree) {
    guard part.run < runs.count else {
      let start = UInt64(part.run - runs.count) + 1
      return tree.append(SpanTree.Span(ofStart: Element(replica: 0, counter: start)))
    }
    let run = runs[part.run]
    let (page, start) = (run.page, run.slots.lowerBound)
    var index = part.range.lowerBound
    while index < part.range.upperBound {
      let isDead = page.dead[start + index]
      let border =
        isDead ? page.dead.nextGap(from: start + index) : page.dead.next(from: start + index)
      let end = min(part.range.upperBound, border - start)
      let slots = start + index..<start + end
      var span = SpanTree.Span(
        first: run.element(index), count: end - index, isDead: isDead,
        leftOrigin: index > 0 ? run.element(index - 1) : leftOrigins[part.run],
        size: isDead ? .zero : page.withText(of: slots) { TextSize(of: $0) })
      span.hasLeftChild = part.hasLeftChild && index == part.range.lowerBound
      tree.append(span)
      index = end
    }
  }
}

extension TextOrder {
  /// Makes the order of a table's text anew.
  init<Key, Payload>(of table: DotTable<Key, Payload>) {
    self.init()
    var columns: ContiguousArray<(replica: ReplicaID, texts: TextColumn)> = []
    for column in table.columns where !column.texts.isEmpty {
      columns.append((column.replica, column.texts))
      let number = Int(number(of: column.replica))
      marks[number] = ContiguousArray(column.texts.pages.lazy.map(\.mark))
      covered[number] = column.texts.lastCounter
    }
    var builder = TextOrderBuilder(columns, order: self)
    builder.list()
    self = builder.order
  }
}
