package import CRDTKit
package import CRDTStoreTesting

/// ``EWFlag`` in schedules.
package enum EnableWinsShape: RootShape {
  package typealias Value = EWFlag

  package static var fewOperations: [Operation] { [.enable, .disable] }

  package static func make() -> Value { EWFlag() }

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
    if operation == .enable {
      model.write(1, at: path, by: replica, killing: model.dots(at: path))
    } else {
      model.remove(model.dots(at: path), by: replica)
    }
  }

  package static func reading(of value: Value) -> String { "\(value.isEnabled)" }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    "\(!model.dots(at: path).isEmpty)"
  }
}
