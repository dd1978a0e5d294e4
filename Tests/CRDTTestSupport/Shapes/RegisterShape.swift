package import CRDTKit
package import CRDTStoreTesting

/// ``MVRegister`` in schedules.
package enum RegisterShape: RootShape {
  package typealias Value = MVRegister<Int>

  package static var fewOperations: [Operation] { [.set(0, at: 0), .set(1, at: 0)] }

  package static func make() -> Value { MVRegister() }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    .set(Int.random(in: -2...2, using: &random), at: 0)
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    if case .set(let number, _) = operation { editor.set(number) }
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    if case .set(let number, _) = operation { value.set(number, by: replica) }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    guard case .set(let number, _) = operation else { return }
    model.write(number, at: path, by: replica, killing: model.dots(at: path))
  }

  package static func reading(of value: Value) -> String {
    "\(value.values) \(value.value.map(String.init) ?? "-") \(value.hasConflict)"
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    let values = model.dots(at: path).sorted().compactMap { model.rows[$0]?.payload }
    let value = values.count == 1 ? values.first : nil
    return "\(values) \(value.map(String.init) ?? "-") \(values.count > 1)"
  }
}
