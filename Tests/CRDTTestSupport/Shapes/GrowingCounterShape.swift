package import CRDTKit
package import CRDTStoreTesting

/// ``GCounter`` in maps; see ``CounterShape``.
package enum GrowingCounterShape: Shape {
  package typealias Value = GCounter

  package static var leavesTraces: Bool { true }

  package static var fewOperations: [Operation] { [.add(1)] }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    .add(Int.random(in: 0...9, using: &random))
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    if case .add(let number) = operation { try? editor.increment(UInt64(number)) }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    CounterShape.perform(operation, on: &model, under: path, by: replica)
  }

  package static func reading(of value: Value) -> String { "\(value.exactValue)" }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    CounterShape.reading(of: model, under: path)
  }
}
