/// Which elements stand for dead ones, whose text they put back.
///
/// It grows with the texts; whether an element is dead is asked of the table.
struct StandIns: Sendable {
  /// Consecutive elements that stand for the elements of consecutive events.
  private struct Piece {
    let target: Dot
    let first: Dot
    let count: Int
  }

  /// In the order of their targets, then in their own.
  private var pieces: ContiguousArray<Piece> = []
  private var countMax = 0

  /// How many pieces one search may look at, so that it ends soon in what a hostile peer sends.
  private static let searchMax = 1 << 18

  /// Finds the elements that stand for others.
  ///
  /// - Complexity: O(pages), and O(n log n) for n runs of pages with such elements.
  init(_ columns: some Sequence<TextColumn>) {
    for column in columns {
      for page in column.pages where page.hasStandIns {
        page.forEachRun { slots, anchor in
          guard anchor.standInCount > 0 else { return }
          let count = min(slots.count, Int(anchor.standInCount))
          countMax = max(countMax, count)
          pieces.append(
            Piece(
              target: anchor.rightOriginOfNext,
              first: Dot(page.replica, page.counter(at: slots.lowerBound)), count: count))
        }
      }
    }
    pieces.sort { ($0.target, $0.first) < ($1.target, $1.first) }
  }

  var isEmpty: Bool { pieces.isEmpty }

  /// Returns the element that stands for a dead one now: a living one, if there is any.
  ///
  /// Of several, it is the one with the greatest name, and of those that stand for it again
  /// likewise. It is the element itself if none stands for it.
  ///
  /// - Complexity: Expected O(n log m) for m pieces and n elements that stood for it in turn.
  func representative(of dot: Dot, isLiving: (Dot) -> Bool) -> Dot {
    var found: Dot?
    forEachElement(inPlaceOf: dot, isLiving: isLiving) { next, isLiving in
      if isLiving || found == nil { found = next }
      return !isLiving
    }
    return found ?? dot
  }

  /// Calls the body with a dead element, or with those that stand for it, if any do, and in
  /// place of the dead ones of those with the ones that stand for them again, until it returns
  /// `false`: the greatest first.
  func forEachElement(
    inPlaceOf dot: Dot, isLiving: (Dot) -> Bool, _ body: (Dot, _ isLiving: Bool) -> Bool
  ) {
    var left = Self.searchMax
    var (open, known): ([Dot], Set<Dot>) = ([dot], [dot])
    while let next = open.popLast() {
      if isLiving(next) {
        guard body(next, true) else { return }
        continue
      }
      var others = elements(standingFor: next, &left)
      others.removeAll { !known.insert($0).inserted }
      if others.isEmpty, !body(next, false) { return }
      open += others
    }
  }

  /// Returns the elements that stand for an element, in their order.
  private func elements(standingFor dot: Dot, _ left: inout Int) -> [Dot] {
    let last = UInt64(countMax)
    var elements: [Dot] = []
    var place = pieces.indices.partitioningIndex {
      let target = pieces[$0].target
      return (target.replica, target.counter &+ last) > (dot.replica, dot.counter)
    }
    while place < pieces.count, pieces[place].target <= dot, left > 0 {
      let (piece, distance) = (pieces[place], dot.counter &- pieces[place].target.counter)
      if distance < UInt64(piece.count) {
        elements.append(Dot(piece.first.replica, piece.first.counter &+ distance))
      }
      place += 1
      left -= 1
    }
    return elements.sorted()
  }
}

extension DotTable {
  /// Returns the element that stands for another one now: itself if it isn't dead, and if none
  /// puts its text back.
  ///
  /// - Complexity: O(log n) for n pages; as ``StandIns`` if it is dead.
  func representative(of dot: Dot, _ order: inout TextOrder) -> Dot {
    if isDead(dot) != true { return dot }
    let standIns = standIns(&order)
    return standIns.isEmpty ? dot : standIns.representative(of: dot) { isDead($0) == false }
  }

  /// Returns the living elements among one and those that stand for it now.
  ///
  /// There is more than one if several replicas have put it back at the same time.
  func livingElements(inPlaceOf dot: Dot, _ order: inout TextOrder) -> [Dot] {
    guard let isDead = isDead(dot) else { return [] }
    if !isDead { return [dot] }
    let standIns = standIns(&order)
    if standIns.isEmpty { return [] }
    var living: [Dot] = []
    let isLiving = { self.isDead($0) == false }
    standIns.forEachElement(inPlaceOf: dot, isLiving: isLiving) { next, isLiving in
      if isLiving { living.append(next) }
      return true
    }
    return living
  }

  private func standIns(_ order: inout TextOrder) -> StandIns {
    if let known = order.standIns { return known }
    let standIns = StandIns(columns.lazy.map(\.texts))
    order.standIns = standIns
    return standIns
  }

  /// Whether an element is dead; `nil` if there is none with the dot.
  private func isDead(_ dot: Dot) -> Bool? {
    textElement(at: dot).map { $0.page.dead[$0.slot] }
  }
}
