import CRDTStoreTesting
import Testing

@testable import CRDTKit

/// Makes the same random changes to a tree and to an array of spans.
struct RandomEditor {
  private(set) var tree: SpanTree
  private(set) var model: [SpanTree.Span] = []
  private(set) var failures = 0
  private var generator: SeededGenerator
  /// For each replica, the next counter.
  ///
  /// Some are never used.
  private var counters: [UInt64] = [1, 1, 1000, 1 << 40, 5000]
  /// Where the last change was, if the next ones shall be near it.
  private var focus: Int?

  init(_ shape: SpanTreeRandomTests.Shape) {
    tree = SpanTree(leafCapacity: shape.leaf, innerCapacity: shape.inner)
    generator = SeededGenerator(seed: shape.seed)
  }

  mutating func restore(_ tree: SpanTree, _ model: [SpanTree.Span]) {
    self.tree = tree
    self.model = model
  }

  mutating func step() throws {
    if random(20) == 0 { focus = random(2) == 0 ? nil : random(model.count + 1) }
    let index = min(focus ?? random(model.count), max(model.count - 1, 0))
    switch model.isEmpty ? 0 : random(26) {
    case 0...5: insert(at: random(8) == 0 ? model.count : index)
    case 6...8: try extend(index)
    case 9...13: try split(index)
    case 14...18: try setDead(index)
    case 19...20: try extendRecent(index)
    case 21...24: try killBorder(index)
    default:
      for _ in 0...random(10) { insert(at: model.count, appending: true) }
    }
  }

  private mutating func random(_ bound: Int) -> Int {
    bound == 0 ? 0 : Int.random(in: 0..<bound, using: &generator)
  }

  /// The sizes of the characters depend on their number alone, as `split` must know them.
  private static func size(of first: SpanTree.Element, _ count: Int) -> TextSize {
    var size = TextSize.zero
    for counter in first.counter..<first.counter + UInt64(count) {
      switch counter % 7 {
      case 0: size += TextSize(scalars: 1, utf16: 2, utf8: 4, lines: 0)
      case 1: size += TextSize(scalars: 1, utf16: 1, utf8: 3, lines: 0)
      case 2: size += TextSize(scalars: 1, utf16: 1, utf8: 1, lines: 1)
      default: size += TextSize(scalars: 1, utf16: 1, utf8: 1, lines: 0)
      }
    }
    return size
  }

  private func position(_ index: Int) throws -> SpanTree.Position {
    try #require(tree.find(model[index].first))
  }

  private mutating func insert(at index: Int, appending: Bool = false) {
    let replica = random(counters.count)
    if random(10) == 0 { counters[replica] += UInt64(random(5000)) }
    let counter = counters[replica]
    let left = Int(1024 - (counter - 1) % 1024)
    let count = min(left, random(3) == 0 ? random(300) + 1 : random(4) + 1)
    counters[replica] += UInt64(count)
    let first = SpanTree.Element(replica: UInt32(replica), counter: counter)
    let isDead = random(5) == 0
    let previous = index > 0 ? model[index - 1] : nil
    let span = SpanTree.Span(
      first: first, count: count, isDead: isDead,
      leftOrigin: random(4) == 0 ? nil : previous.map(Self.last),
      size: isDead ? .zero : Self.size(of: first, count)
    )
    if appending {
      tree.append(span)
    } else {
      let next = index < model.count ? tree.find(model[index].first) : nil
      let position = tree.insert(span, before: next)
      expect(tree[position] == span && tree.find(first) == position)
    }
    model.insert(span, at: index)
  }

  private static func last(_ span: SpanTree.Span) -> SpanTree.Element {
    SpanTree.Element(
      replica: span.first.replica, counter: span.first.counter + UInt64(span.count) - 1
    )
  }

  private mutating func extend(_ index: Int) throws {
    let span = model[index]
    let end = SpanTree.Element(
      replica: span.first.replica, counter: span.first.counter + UInt64(span.count)
    )
    guard end.counter == counters[Int(end.replica)], (end.counter - 1) % 1024 != 0 else { return }
    let count = min(Int(1024 - (end.counter - 1) % 1024), random(5) + 1)
    let size = span.isDead ? TextSize.zero : Self.size(of: end, count)
    tree.extend(try position(index), by: count, size: size)
    counters[Int(end.replica)] += UInt64(count)
    model[index].count += count
    model[index].size += size
  }

  /// Lengthens a span as when a user types, if the tree remembers it.
  private mutating func extendRecent(_ index: Int) throws {
    let span = model[index]
    let last = Self.last(span)
    let end = SpanTree.Element(replica: last.replica, counter: last.counter + 1)
    guard end.counter == counters[Int(end.replica)], (end.counter - 1) % 1024 != 0 else { return }
    let here = try position(index)
    tree.remember(here, after: tree.size(before: here))
    let size = Self.size(of: end, 1)
    guard tree.extendRecent(last, by: 1, size: size) else { return }
    expect(!span.isDead && (index + 1 == model.count || model[index + 1].leftOrigin != last))
    counters[Int(end.replica)] += 1
    model[index].count += 1
    model[index].size += size
  }

  /// Marks elements at the end or the start of a living span as dead, if a neighbour takes
  /// them.
  private mutating func killBorder(_ index: Int) throws {
    let span = model[index]
    guard !span.isDead, span.count > 1 else { return }
    let count = random(span.count - 1) + 1
    let kept = span.count - count
    if random(2) == 0 {
      let size = Self.size(of: span.first, kept)
      guard try tree.killEnd(of: position(index), count, size: span.size - size) else { return }
      model[index].count = kept
      model[index].size = size
      model[index + 1].first.counter -= UInt64(count)
      model[index + 1].count += count
      model[index + 1].leftOrigin = Self.last(model[index])
      expect(model[index + 1].isDead)
    } else {
      let size = Self.size(of: span.first, count)
      guard try tree.killStart(of: position(index), count, size: size) else { return }
      model[index - 1].count += count
      model[index].first.counter += UInt64(count)
      model[index].count = kept
      model[index].size -= size
      model[index].leftOrigin = Self.last(model[index - 1])
      expect(model[index - 1].isDead)
    }
  }

  private mutating func split(_ index: Int) throws {
    let span = model[index]
    guard span.count > 1 else { return }
    let count = random(span.count - 1) + 1
    let size = span.isDead ? TextSize.zero : Self.size(of: span.first, count)
    let second = tree.split(try position(index), at: count, size: size)
    model[index].count = count
    model[index].size = size
    let rest = SpanTree.Span(
      first: SpanTree.Element(
        replica: span.first.replica, counter: span.first.counter + UInt64(count)
      ),
      count: span.count - count, isDead: span.isDead, leftOrigin: Self.last(model[index]),
      size: span.size - size
    )
    model.insert(rest, at: index + 1)
    expect(tree[second] == rest)
  }

  private mutating func setDead(_ index: Int) throws {
    let before = try position(index)
    let neighbours = (tree.position(before: before), tree.position(after: before))
    let result = tree.setDead(before)
    model[index].isDead = true
    model[index].size = .zero
    var joined = index
    // Across the border of two leaves the tree may leave them apart, but only there.
    if let next = neighbours.1, canJoin(index) {
      if tree[result].count > model[index].count
        && covers(tree[result], Self.last(model[index + 1]))
      {
        join(index)
      } else {
        expect(next.leaf != before.leaf)
      }
    }
    if let previous = neighbours.0, canJoin(index - 1) {
      if covers(tree[result], model[index - 1].first) {
        join(index - 1)
        joined = index - 1
      } else {
        expect(previous.leaf != result.leaf)
      }
    }
    expect(tree[result] == model[joined])
  }

  private func covers(_ span: SpanTree.Span, _ element: SpanTree.Element) -> Bool {
    span.first.replica == element.replica && span.first.counter <= element.counter
      && element.counter < span.first.counter + UInt64(span.count)
  }

  private func canJoin(_ index: Int) -> Bool {
    guard model.indices.contains(index), model.indices.contains(index + 1) else { return false }
    let (left, right) = (model[index], model[index + 1])
    return left.first.replica == right.first.replica
      && left.first.counter + UInt64(left.count) == right.first.counter
      && left.isDead == right.isDead && right.leftOrigin == Self.last(left)
      && (right.first.counter - 1) % 1024 != 0
  }

  private mutating func join(_ index: Int) {
    model[index].count += model[index + 1].count
    model.remove(at: index + 1)
  }

  private mutating func expect(
    _ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard !condition else { return }
    failures += 1
    Issue.record("the tree differs from the array", sourceLocation: sourceLocation)
  }

  /// Compares the order and all queries for each span.
  mutating func compareAll() throws {
    var spans: [SpanTree.Span] = []
    tree.forEachSpan { spans.append($0) }
    expect(spans == model)
    var positions: [SpanTree.Position] = []
    var place = tree.first
    while let position = place {
      positions.append(position)
      place = tree.position(after: position)
    }
    expect(positions.map { tree[$0] } == model && positions.last == tree.last)
    var backwards: [SpanTree.Position] = []
    place = tree.last
    while let position = place {
      backwards.append(position)
      place = tree.position(before: position)
    }
    expect(backwards.reversed() == positions)
    var before = TextSize.zero
    for index in model.indices {
      expect(tree.size(before: positions[index]) == before)
      compare(index, at: positions[index], before: before)
      before += model[index].size
      let other = random(model.count)
      expect(tree.isBefore(positions[index], positions[other]) == (index < other))
    }
    expect(tree.size == before)
    for unit in TextUnit.allCases {
      expect(tree.find(before[unit], in: unit) == nil)
    }
    for replica in counters.indices {
      let element = SpanTree.Element(replica: UInt32(replica), counter: counters[replica])
      expect(tree.find(element) == nil)
    }
    expect(tree.find(SpanTree.Element(replica: 99, counter: 1)) == nil)
  }

  /// Compares the queries for a few spans.
  mutating func compareSome() throws {
    for _ in 0..<3 where !model.isEmpty {
      let index = min(random(3) == 0 ? random(model.count) : focus ?? 0, model.count - 1)
      let before = model[..<index].reduce(TextSize.zero) { $0 + $1.size }
      let position = try position(index)
      expect(tree[position] == model[index])
      expect(tree.size(before: position) == before)
      compare(index, at: position, before: before)
    }
  }

  private mutating func compare(
    _ index: Int, at position: SpanTree.Position, before: TextSize
  ) {
    let span = model[index]
    var element = span.first
    element.counter += UInt64(random(span.count))
    for element in [span.first, element, Self.last(span)] {
      expect(tree.find(element) == position)
    }
    for unit in TextUnit.allCases where span.size[unit] > 0 {
      let middle = random(span.size[unit])
      for offset in [0, middle, span.size[unit] - 1] {
        let found = tree.find(before[unit] + offset, in: unit)
        expect(found?.position == position && found?.before == before)
      }
    }
  }
}
