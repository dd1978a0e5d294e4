package import CRDTKit
package import CRDTStoreTesting

/// ``PNCounter`` in maps.
///
/// The model keeps every step counted as a row of its own, and a removal kills the
/// steps that it saw.
package enum CounterShape: Shape {
  package typealias Value = PNCounter

  package static var leavesTraces: Bool { true }

  package static var fewOperations: [Operation] { [.add(1)] }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    .add(Int.random(in: -5...9, using: &random))
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    guard case .add(let number) = operation else { return }
    if number < 0 {
      try? editor.decrement(UInt64(number.magnitude))
    } else {
      try? editor.increment(UInt64(number.magnitude))
    }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    if case .add(let number) = operation, number != 0 {
      model.write(number, at: path, by: replica, killing: [])
    }
  }

  package static func reading(of value: Value) -> String { "\(value.exactValue)" }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    "\(model.dots(at: path).reduce(0) { $0 + (model.rows[$1]?.payload ?? 0) })"
  }
}
