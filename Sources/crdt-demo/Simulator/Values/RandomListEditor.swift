import CRDTKit
import CRDTStoreTesting

/// A change of a list, in the list that those before it in the same edit have left.
enum ListChange: Equatable, Sendable {
  /// Inserts elements in one piece, before the one with an index or at the end.
  case insert([Int64], at: Int)
  /// Writes another value of the element with an index.
  case replace(at: Int, with: Int64)
  /// Moves the elements with some indices, in ascending order, to before the one with another.
  case move([Int], before: Int)
  case remove(Range<Int>)

  /// How many elements the list has more after it.
  var growth: Int {
    switch self {
    case .insert(let values, _): values.count
    case .remove(let range): -range.count
    case .replace, .move: 0
    }
  }

  /// Whether it moves elements to where they are.
  var isIdle: Bool {
    guard case .move(let sources, let target) = self, let first = sources.first,
      let last = sources.last
    else { return false }
    return last - first + 1 == sources.count && first...last + 1 ~= target
  }
}

/// Draws the edits of somebody who keeps a list with others: what is inserted, replaced, moved
/// and removed, at one of so many spots, where they meet, or anywhere.
///
/// The edit depends on nothing but the number and the length of the list.
struct RandomListEditor {
  private var generator: SeededGenerator
  private let spot: Int
  private let spotCount: Int
  private let serial: Int?
  private var valueCount = 0

  /// The most values that are drawn for one edit.
  static let valuesMax = 6

  init(_ number: UInt64, spots: Int) {
    generator = SeededGenerator(seed: number & EditNumber.drawMask, stream: 43)
    spotCount = max(spots, 1)
    spot = Int((number & EditNumber.drawMask) % UInt64(spotCount))
    serial = EditNumber.serial(of: number)
  }

  /// Draws an edit of a list with so many elements.
  mutating func draw(count: Int) -> [ListChange] {
    var (changes, count): ([ListChange], Int) = ([], count)
    for _ in 0..<1 + generator.below(3) / 2 {
      let change = drawChange(count)
      changes.append(change)
      count += change.growth
    }
    return changes
  }

  private mutating func drawChange(_ count: Int) -> ListChange {
    guard count > 0 else { return .insert(drawValues(), at: 0) }
    switch generator.below(16) {
    case 0..<5: return .insert(drawValues(), at: drawPlace(count + 1))
    case 5..<8: return .replace(at: drawPlace(count), with: drawValue())
    case 8..<11: return .move([drawPlace(count)], before: drawPlace(count + 1))
    case 11..<13:
      let sources = stride(from: drawPlace(count), to: count, by: 1 + generator.below(2))
      return .move(Array(sources.prefix(2 + generator.below(2))), before: drawPlace(count + 1))
    default:
      let first = drawPlace(count)
      return .remove(first..<min(first + 1 + generator.below(3), count))
    }
  }

  /// A number below a limit: most often about the spot.
  private mutating func drawPlace(_ limit: Int) -> Int {
    guard generator.below(3) > 0 else { return generator.below(limit) }
    return max(0, min(limit * spot / spotCount + generator.below(3) - 1, limit - 1))
  }

  private mutating func drawValues() -> [Int64] {
    (0..<1 + generator.below(3)).map { _ in drawValue() }
  }

  /// A value: one that nobody else ever writes, where they must be told apart.
  private mutating func drawValue() -> Int64 {
    defer { valueCount += 1 }
    guard let serial else { return Int64(generator.below(10_000)) }
    return Int64(serial * Self.valuesMax + valueCount)
  }
}
