package import Toolkit

/// What the paper defines, apart from any tree: a second opinion on a few elements.
///
/// Elements are numbered as they arrived; -1 is the start, and their count the end.
extension NaiveSequence {
  /// All orders that the definition of maximal non-interleaving allows; it should be one.
  ///
  /// Elements are added one by one, at each position between their origins. An order is
  /// allowed if the conditions hold in every state that it contains: for every set of
  /// elements that contains the origins of each. It takes time exponential in the number of
  /// elements: use it for eight at most.
  package var ordersByDefinition: [[ElementID]] {
    let origins = Origins(of: self)
    var orders: [[Int]] = [[]]
    for element in nodes.indices {
      let states = origins.states(upTo: element).filter { $0 & 1 << element != 0 }
      orders = orders.flatMap { order in
        origins.gaps(for: element, in: order).compactMap { gap in
          var longer = order
          longer.insert(element, at: gap)
          let isAllowed = states.allSatisfy { state in
            origins.violation(in: longer.filter { state & 1 << $0 != 0 }) == nil
          }
          return isAllowed ? longer : nil
        }
      }
    }
    return orders.map { $0.map { nodes[$0].id } }
  }

  /// Which of the three conditions of maximal non-interleaving doesn't hold in the present
  /// order, and for which elements.
  ///
  /// Dead elements count. The time is cubic in the number of elements.
  package var interleaving: String? {
    let numbers = Dictionary(uniqueKeysWithValues: nodes.indices.map { (nodes[$0].id, $0) })
    return Origins(of: self).violation(in: elements.compactMap { numbers[$0.id] })
  }
}

private struct Origins {
  let ids: [ElementID]
  let left: [Int]
  let right: [Int]

  init(of sequence: NaiveSequence) {
    let nodes = sequence.nodes
    let numbers = Dictionary(uniqueKeysWithValues: nodes.indices.map { (nodes[$0].id, $0) })
    ids = nodes.map(\.id)
    left = ids.map { sequence.leftOrigin(of: $0).flatMap { numbers[$0] } ?? -1 }
    right = ids.map { sequence.rightOrigin(of: $0).flatMap { numbers[$0] } ?? nodes.count }
  }

  /// The sets of elements, as bits, in which the origins of each element are.
  func states(upTo last: Int) -> [Int] {
    (0..<(2 << last)).filter { state in
      (0...last).allSatisfy { element in
        state & 1 << element == 0
          || [left[element], right[element]].allSatisfy {
            !ids.indices.contains($0) || state & 1 << $0 != 0
          }
      }
    }
  }

  /// Where an element can stand: after its left origin and before its right origin.
  func gaps(for element: Int, in order: [Int]) -> ClosedRange<Int> {
    let first = order.firstIndex(of: left[element]).map { $0 + 1 } ?? 0
    return first...(order.firstIndex(of: right[element]) ?? order.count)
  }

  /// What is wrong with an order.
  ///
  /// 1. If A is the left origin of B, and B comes before all others with this left origin,
  ///    then A and B are neighbours.
  /// 2. If B is the right origin of A, and A comes after all others with this right origin,
  ///    then A and B are neighbours, unless they have different left origins, and there is a C
  ///    between A's left origin and B that doesn't descend from A's left origin.
  /// 3. Of two elements with the same origins, that with the lower name comes first.
  ///
  /// Conditions 1 at the start and 2 at the end always hold, as the first element can only
  /// have the start before it, and the last only the end after it.
  func violation(in order: [Int]) -> String? {
    for a in order.indices {
      let later = order[(a + 1)...]
      if let b = later.firstIndex(where: { left[$0] == order[a] }), b != a + 1 {
        return "1: \(ids[order[a]]) and \(ids[order[b]]) are apart."
      }
      for b in later.indices where isEarlierTwin(order[b], of: order[a]) {
        return "3: \(ids[order[a]]) comes before \(ids[order[b]])."
      }
      guard let b = order.firstIndex(of: right[order[a]]), b != a + 1 else { continue }
      let isLast = !later.contains { right[$0] == order[b] }
      if isLast, !isExcused(order[a], before: order[b], in: order) {
        return "2: \(ids[order[a]]) and \(ids[order[b]]) are apart."
      }
    }
    return nil
  }

  private func isEarlierTwin(_ element: Int, of other: Int) -> Bool {
    left[element] == left[other] && right[element] == right[other] && ids[element] < ids[other]
  }

  private func isExcused(_ element: Int, before next: Int, in order: [Int]) -> Bool {
    guard left[element] != left[next], let end = order.firstIndex(of: next) else { return false }
    let start = order.firstIndex(of: left[element]).map { $0 + 1 } ?? 0
    return order[start..<end].contains { !descends($0, from: left[element]) }
  }

  /// Whether an element is found below another by left origins.
  private func descends(_ element: Int, from ancestor: Int) -> Bool {
    var current = element
    while current >= 0, current != ancestor { current = left[current] }
    return current == ancestor
  }
}
