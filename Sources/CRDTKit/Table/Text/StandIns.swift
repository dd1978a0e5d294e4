/// Which elements stand for dead ones, whose text they put back.
///
/// It is made anew after elements that stand for others are added. Callers say whether an
/// element is dead.
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
  private static let searchMax = 1 << 14

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

  /// Visits an element, those that stand for it if it is dead, those that stand for these
  /// likewise, and so on, the greatest first: each with whether others stand for it.
  ///
  /// - Complexity: Expected O(n log m) for m pieces and n elements that are visited.
  func forEachElement(
    inPlaceOf dot: Dot, isLiving: (Dot) -> Bool,
    _ body: (Dot, _ isLiving: Bool, _ hasOthers: Bool) -> Void
  ) {
    var left = Self.searchMax
    var (open, known): ([Dot], Set<Dot>) = ([dot], [dot])
    while let next = open.popLast() {
      if isLiving(next) {
        body(next, true, false)
        continue
      }
      var others = elements(standingFor: next, &left)
      others.removeAll { !known.insert($0).inserted }
      body(next, false, !others.isEmpty)
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
  /// Returns the element that stands for another one now; the element itself if it isn't dead,
  /// or if none stands for it.
  ///
  /// If several replicas have put it back at the same time, it is the first of them in the
  /// order of the text, or the last; so the start and the end of a range stay in order. With a
  /// start of a text, it must be in that text.
  ///
  /// - Complexity: O(log n) for n pages; if it is dead, that of
  ///   `StandIns.forEachElement(inPlaceOf:isLiving:_:)`, and on the first call that of
  ///   `StandIns.init(_:)`.
  func representative(
    of dot: Dot, isLast: Bool, inTextAt start: Dot? = nil, _ order: inout TextOrder
  ) -> Dot {
    if isDead(dot) != true { return dot }
    let standIns = standIns(&order)
    if standIns.isEmpty { return dot }
    var living: (dot: Dot, element: TextOrder.Element)?
    var dead: Dot?
    let isLiving = { [order] dot in self.isLiving(dot, inTextAt: start, order) }
    standIns.forEachElement(inPlaceOf: dot, isLiving: isLiving) { next, isLiving, hasOthers in
      guard isLiving else {
        if !hasOthers, dead == nil { dead = next }
        return
      }
      guard let element = order.element(next) else { return }
      if let known = living, order.isBefore(known.element, element) != isLast { return }
      living = (next, element)
    }
    return living?.dot ?? dead ?? dot
  }

  /// The living elements among one and those that stand for it now, and whether any of those
  /// that stood for it meets a condition.
  ///
  /// There is more than one if several replicas have put it back at the same time.
  func livingElements(
    inPlaceOf dot: Dot, inTextAt start: Dot, _ order: inout TextOrder,
    stoodFor: (Dot) -> Bool = { _ in false }
  ) -> (living: [Dot], hasStood: Bool) {
    guard let isDead = isDead(dot) else { return ([], false) }
    if !isDead { return ([dot], false) }
    let standIns = standIns(&order)
    var (living, hasStood): ([Dot], Bool) = ([], false)
    if standIns.isEmpty { return ([], false) }
    let isLiving = { [order] dot in self.isLiving(dot, inTextAt: start, order) }
    standIns.forEachElement(inPlaceOf: dot, isLiving: isLiving) { next, isLiving, _ in
      if isLiving { living.append(next) }
      if next != dot, stoodFor(next) { hasStood = true }
    }
    return (living, hasStood)
  }

  private func standIns(_ order: inout TextOrder) -> StandIns {
    if let known = order.standIns { return known }
    let standIns = StandIns(columns.lazy.map(\.texts))
    order.standIns = standIns
    return standIns
  }

  private func isLiving(_ dot: Dot, inTextAt start: Dot?, _ order: TextOrder) -> Bool {
    isDead(dot) == false && start.map { order.has(dot, inTextAt: $0) } ?? true
  }

  /// Whether an element is dead; `nil` if there is none with the dot.
  private func isDead(_ dot: Dot) -> Bool? {
    textElement(at: dot).map { $0.page.dead[$0.slot] }
  }
}
