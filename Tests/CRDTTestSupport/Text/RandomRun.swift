package import CRDTStoreTesting
import Toolkit

/// A run of elements with any anchor that the format allows, as no editor would make it.
///
/// Numbers are taken modulo what there is, so that a run has a meaning wherever it stands.
package struct RandomRun: Hashable, Sendable {
  private enum Parent: Hashable {
    case start
    case named(Int)
    case own(UInt64)
    case previous
    case other(ElementID)
  }

  private enum RightOrigin: Hashable {
    case none
    /// As that of the run before.
    case same
    case own(UInt64)
    case other(ElementID)
  }

  private enum Dead: Hashable {
    case none, all
    case last(Int)
    case some(Int)
    case alternating
  }

  private let replica: Int
  /// How many counters are left out before it; `nil` for as many as are dead before it.
  private let gap: UInt64?
  private let count: Int
  private let parent: Parent
  private let isLeft: Bool
  private let rightOrigin: RightOrigin
  private let standInCount: Int
  private let dead: Dead
  private let scalar: Unicode.Scalar

  package init(using random: inout SeededGenerator) {
    replica = random.below(3)
    gap = [nil, 0, 0, 0, 1, 2, 3, UInt64(random.below(3_000))][random.below(8)]
    count = [1, 2, 14, 15, 16, random.below(30) + 1, random.below(1_500) + 1][random.below(7)]
    let number = UInt64(random.below(5)) * UInt64(random.below(1_000)) + 1
    let others: [UInt64] = [1, 2, 9, 0xFFFF_0000_0000_0001]
    let other = ElementID(replica: others[random.below(4)], counter: number)
    let far = ElementID(replica: others[random.below(4)], counter: 1 << 48 - number)
    parent =
      [
        .start, .named(random.below(3)), .own(number), .own(number), .previous, .previous,
        .other(other), .other(far),
      ][random.below(8)]
    rightOrigin =
      [.none, .same, .same, .own(number + 1), .other(other.next), .other(far)][random.below(6)]
    isLeft = random.below(3) == 0
    standInCount = [0, 0, 1, random.below(1_024) + 1][random.below(4)]
    dead =
      [.none, .all, .last(random.below(9) + 1), .some(random.below(40)), .alternating][
        random.below(5)]
    scalar = ["a", "é", "漢", "👍"][random.below(4)]
  }

  /// Adds the elements of the run to those of one of three columns.
  package func add(to columns: inout [(replica: UInt64, base: UInt64, elements: [PlainElement])]) {
    let (name, base, elements) = columns[replica]
    let deadBefore = UInt64(elements.reversed().prefix { $0.scalar == nil }.count)
    let first = (elements.last?.id.counter ?? base) + (gap ?? deadBefore) + 1
    let id = ElementID(replica: name, counter: first)
    var element = PlainElement(id, parent(of: id), scalar)
    if case .element = element.parent { element.isLeft = isLeft }
    if !element.isLeft { element.rightOrigin = rightOrigin(of: element, after: elements.last) }
    if let target = element.rightOriginOfRun, target.counter < 1 << 47 {
      element.standInCount = standInCount
    }
    let origin = element.rightOriginOfRun
    for place in 0..<count {
      element.scalar = isDead(place) ? nil : scalar
      columns[replica].elements.append(element)
      element = PlainElement(element.id.next, .element(element.id), before: origin, scalar)
    }
  }

  private func parent(of id: ElementID) -> PlainElement.Parent {
    switch parent {
    case .start: .start
    case .named(let number): .named([UInt8](repeating: UInt8(number), count: 15) + [0x80])
    case .other(let other) where other.replica != id.replica: .element(other)
    case .own(let distance) where id.counter > 1:
      .element(
        ElementID(replica: id.replica, counter: id.counter - 1 - distance % (id.counter - 1)))
    case .previous where id.counter > 1:
      .element(ElementID(replica: id.replica, counter: id.counter - 1))
    default: .start
    }
  }

  private func rightOrigin(of element: PlainElement, after last: PlainElement?) -> ElementID? {
    let id = element.id
    var origin: ElementID?
    switch rightOrigin {
    case .none: break
    case .same: origin = last?.rightOriginOfRun
    case .other(let other): origin = other
    case .own(let distance) where id.counter > 1:
      origin = ElementID(replica: id.replica, counter: distance % (id.counter - 1) + 1)
    case .own: break
    }
    guard let origin, element.parent != .element(origin) else { return nil }
    return origin.replica == id.replica && origin.counter >= id.counter ? nil : origin
  }

  private func isDead(_ place: Int) -> Bool {
    switch dead {
    case .none: false
    case .all: true
    case .last(let last): place >= count - last
    case .some(let number): place == number || place == number + 1
    case .alternating: place % 3 == 1
    }
  }
}
