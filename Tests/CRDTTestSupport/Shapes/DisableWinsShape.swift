package import CRDTKit
package import CRDTStoreTesting

/// ``DWFlag`` in schedules.
package enum DisableWinsShape: RootShape {
  package typealias Value = DWFlag

  package static var fewOperations: [Operation] { [.enable, .disable] }

  package static func make() -> Value { DWFlag() }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    Bool.random(using: &random) ? .enable : .disable
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    if operation == .enable { editor.enable() } else { editor.disable() }
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    if operation == .enable { value.enable(by: replica) } else { value.disable(by: replica) }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    let number = operation == .enable ? 1 : 0
    model.write(number, at: path, by: replica, killing: model.dots(at: path))
  }

  package static func reading(of value: Value) -> String { "\(value.isEnabled)" }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    let dots = model.dots(at: path)
    return "\(!dots.isEmpty && dots.allSatisfy { model.rows[$0]?.payload == 1 })"
  }
}
