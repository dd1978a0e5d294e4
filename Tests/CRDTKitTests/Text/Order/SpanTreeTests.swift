import Testing

@testable import CRDTKit

@Suite struct SpanTreeTests {
  private static func span(
    _ replica: UInt32, _ counter: UInt64, _ count: Int, dead: Bool = false
  ) -> SpanTree.Span {
    SpanTree.Span(
      first: SpanTree.Element(replica: replica, counter: counter), count: count, isDead: dead,
      leftOrigin: nil, size: dead ? .zero : ascii(count)
    )
  }

  private static func ascii(_ count: Int) -> TextSize {
    TextSize(scalars: count, utf16: count, utf8: count, lines: 0)
  }

  @Test func emptyTree() {
    let tree = SpanTree()
    #expect(tree.isEmpty && tree.first == nil && tree.last == nil && tree.size == .zero)
    #expect(tree.find(0, in: .scalars) == nil)
    #expect(tree.find(SpanTree.Element(replica: 0, counter: 1)) == nil)
    var count = 0
    tree.forEachSpan { _ in count += 1 }
    #expect(count == 0)
    tree.checkInvariants()
  }

  @Test func packedSpanTakes32Bytes() {
    #expect(MemoryLayout<PackedSpan>.stride == 32)
    var tree = SpanTree()
    let largest = SpanTree.Span(
      first: SpanTree.Element(replica: .max, counter: 1), count: 1024, isDead: false,
      leftOrigin: SpanTree.Element(replica: .max, counter: PackedSpan.maxCounter),
      size: TextSize(scalars: 1024, utf16: 2048, utf8: 4096, lines: 0)
    )
    #expect(SpanTree.Span(PackedSpan(largest)) == largest)
    var high = Self.span(3, 1 << 52 - 2, 1)
    high.leftOrigin = high.first
    let position = tree.insert(high, before: nil)
    #expect(tree[position] == high)
    #expect(tree.find(high.first) == position)
    tree.checkInvariants()
  }

  @Test func appendedTreeHasFullLeaves() {
    var tree = SpanTree(leafCapacity: 4, innerCapacity: 4)
    for counter in 1...1024 { tree.append(Self.span(0, UInt64(counter), 1)) }
    #expect(tree.leaves.rowCount == 256)
    #expect(tree.height == 4)
    #expect(tree.innerNodes.rowCount == 64 + 16 + 4 + 1)
    tree.checkInvariants()
  }

  @Test func spansOfABlockJoinOnlyWithinIt() {
    var tree = SpanTree()
    var next = Self.span(0, 1025, 3)
    next.leftOrigin = SpanTree.Element(replica: 0, counter: 1024)
    tree.append(Self.span(0, 1001, 24))
    tree.append(next)
    for counter in [1001, 1025] as [UInt64] {
      if let place = tree.find(SpanTree.Element(replica: 0, counter: counter)) {
        tree.setDead(place)
      }
    }
    #expect(tree.spanCount == 2 && tree.size == .zero)
    tree.checkInvariants()
  }

  @Test(arguments: [true, false]) func spansJoinOnlyAtTheLeftOrigin(isAtOrigin: Bool) throws {
    var tree = SpanTree()
    var next = Self.span(0, 4, 3)
    next.leftOrigin = SpanTree.Element(replica: 0, counter: isAtOrigin ? 3 : 2)
    tree.append(Self.span(0, 1, 3))
    tree.append(next)
    for counter in [1, 4] as [UInt64] {
      let element = SpanTree.Element(replica: 0, counter: counter)
      tree.setDead(try #require(tree.find(element)))
    }
    #expect(tree.spanCount == (isAtOrigin ? 1 : 2))
    tree.checkInvariants()
  }

  @Test func spansAloneInTheirLeavesStayApart() throws {
    var tree = SpanTree(leafCapacity: 2, innerCapacity: 2)
    for counter in 1...6 as ClosedRange<UInt64> {
      var span = Self.span(0, counter, 1)
      span.leftOrigin = counter == 1 ? nil : SpanTree.Element(replica: 0, counter: counter - 1)
      tree.append(span)
    }
    for counter in 1...6 as ClosedRange<UInt64> {
      let element = SpanTree.Element(replica: 0, counter: counter)
      let joined = tree.setDead(try #require(tree.find(element)))
      #expect(joined == tree.find(element))
      tree.checkInvariants()
    }
    #expect(tree.spanCount == 3)
  }

  @Test func typingFindsTheSameSpan() throws {
    var tree = SpanTree(leafCapacity: 4, innerCapacity: 4)
    for replica in 0..<200 as Range<UInt32> { tree.append(Self.span(replica, 1, 2)) }
    var position = try #require(tree.find(200, in: .scalars)).position
    for step in 1...1000 {
      tree.extend(position, by: 1, size: Self.ascii(1))
      let found = try #require(tree.find(200 + step, in: .utf8))
      #expect(found.position == position && found.before == Self.ascii(200))
      #expect(tree.recent.isSizeKnown == (step > 1))
      position = found.position
    }
    #expect(try #require(tree.find(199, in: .scalars)).before == Self.ascii(198))
    #expect(try #require(tree.find(1202, in: .scalars)).before == Self.ascii(1202))
    tree.checkInvariants()
  }

  @Test func preconditions() async {
    await #expect(processExitsWith: .failure) {
      var tree = SpanTree()
      tree.append(SpanTreeTests.span(0, 1000, 26))
    }
    await #expect(processExitsWith: .failure) {
      var tree = SpanTree()
      tree.append(SpanTreeTests.span(0, 1, 1025))
    }
    await #expect(processExitsWith: .failure) {
      var tree = SpanTree()
      let position = tree.insert(SpanTreeTests.span(0, 1, 1024), before: nil)
      tree.extend(position, by: 1, size: SpanTreeTests.ascii(1))
    }
    await #expect(processExitsWith: .failure) {
      var tree = SpanTree()
      tree.append(SpanTreeTests.span(0, 1, 1))
      tree.append(SpanTreeTests.span(0, 1, 1))
    }
    await #expect(processExitsWith: .failure) {
      var tree = SpanTree()
      let position = tree.insert(SpanTreeTests.span(0, 1, 3), before: nil)
      tree.split(position, at: 3, size: SpanTreeTests.ascii(3))
    }
  }
}
