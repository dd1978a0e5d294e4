import CRDTKit
import Toolkit

extension ReplicatedList: WorldValue where Value == MVRegister<Int> {
  static var rule: Oracle.Rule { .list }

  /// Makes the edit that a ``RandomListEditor`` draws; the keys are spots of the list.
  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Self>, changes: [OracleChange]) {
    var random = RandomListEditor(number, spots: keys)
    let changes = random.draw(count: count)
    let delta = edit(by: stamp.replica) { editor in
      for change in changes { editor.make(change) }
    }
    return (delta, [OracleChange(list: changes)])
  }

  /// The values of the elements.
  func reading(of key: Int) -> [Int64] {
    ListReading(elements: map { $0.values.map { Int64($0) } }).numbers
  }

  static func words(of reading: [Int64]) -> String {
    "[" + ListReading(numbers: reading).elements.map(ListReading.words).joined(separator: ", ")
      + "]"
  }

  /// An element a line, by who inserted it.
  var writtenText: WrittenText? {
    WrittenText(
      lines: items.lazy.map { item in
        (ListReading.words(of: item.value.values.map { Int64($0) }), item.id.dot.replica)
      })
  }

  var summary: String { "a list of \(count.counted("element"))" }
}

extension Editor where Value == ReplicatedList<MVRegister<Int>> {
  fileprivate mutating func make(_ change: ListChange) {
    switch change {
    case .insert(let values, let index): insert(contentsOf: values.map { Int($0) }, at: index)
    case .replace(let index, let value): replace(at: index, with: Int(value))
    case .move(let sources, let target): move(fromOffsets: sources, toOffset: target)
    case .remove(let range): removeSubrange(range)
    }
  }
}

/// What the elements of a list read as: several values each after concurrent writes.
///
/// In one row of numbers, each further value v of an element is written as -1 - v.
struct ListReading: Equatable {
  /// The values of each element in ascending order.
  var elements: [[Int64]]

  init(elements: [[Int64]]) {
    self.elements = elements.map { $0.sorted() }
  }

  init(numbers: [Int64]) {
    elements = []
    for number in numbers {
      if let last = elements.indices.last, number < 0 {
        elements[last].append(-1 - number)
      } else {
        elements.append([number])
      }
    }
  }

  var numbers: [Int64] {
    elements.flatMap { values in values.prefix(1) + values.dropFirst().map { -1 - $0 } }
  }

  /// What an element is called.
  static func words(of values: [Int64]) -> String {
    values.map(name).joined(separator: " | ")
  }

  private static let names = [
    "tea", "milk", "bread", "rice", "salt", "figs", "leeks", "plums", "soap", "nails",
  ]

  private static func name(of value: Int64) -> String {
    guard value >= 0 else { return "\(value)" }
    return "\(names[Int(value % Int64(names.count))]) \(value / Int64(names.count))"
  }
}
