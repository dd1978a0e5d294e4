package import CRDTKit
package import CRDTStoreTesting

/// A set of thousands of integers, for columns of many pages.
package enum WideSetShape: RootShape {
  package typealias Value = ORSet<Int>

  static var elementCount: Int { 4_000 }

  package static var fewOperations: [Operation] { SetShape<Int>.fewOperations }

  package static func make() -> Value { ORSet() }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    let element = Int.random(in: 0..<elementCount, using: &random)
    return Int.random(in: 0..<5, using: &random) < 2 ? .remove(element) : .insert(element)
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    SetShape<Int>.perform(operation, in: &editor)
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    SetShape<Int>.perform(operation, on: &value, by: replica)
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    SetShape<Int>.perform(operation, on: &model, under: path, by: replica)
  }

  package static func reading(of value: Value) -> String {
    describe(Array(value), count: value.count, contains: value.contains)
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    var known: Set<Int> = []
    let elements = model.rows.sorted { $0.key < $1.key }.map(\.value.payload)
    let distinct = elements.filter { known.insert($0).inserted }
    return describe(distinct, count: distinct.count, contains: known.contains)
  }

  private static func describe(
    _ elements: [Int], count: Int, contains: (Int) -> Bool
  ) -> String {
    var order = SeededGenerator(seed: UInt64(count))
    let mixed = elements.reduce(0 as UInt64) { sum, element in
      (sum &+ UInt64(element)) &* 0x9E37_79B9_7F4A_7C15 ^ sum >> 31
    }
    let found = (0..<100).count { _ in contains(Int.random(in: 0..<elementCount, using: &order)) }
    let isWhole = elements.allSatisfy(contains)
    return "\(count) elements, in order \(mixed), \(found) of 100 found, all: \(isWhole)"
  }
}
