package import CRDTKit
package import CRDTStoreTesting

/// ``GSet`` in schedules.
package enum GrowingSetShape: RootShape {
  package typealias Value = GSet<String>

  package static var fewOperations: [Operation] { [.insert(0), .insert(1)] }

  package static func make() -> Value { GSet() }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    .insert(randomSample(using: &random))
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    if case .insert(let number) = operation { editor.insert(String.sample(number)) }
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    if case .insert(let number) = operation { value.insert(.sample(number), by: replica) }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    guard case .insert(let number) = operation else { return }
    let path = model.elementPath(path, String.sample(number))
    guard model.dots(at: path).isEmpty else { return }
    model.write(number, at: path, by: replica, killing: [])
  }

  package static func reading(of value: Value) -> String {
    describe(
      Array(value), count: value.count, isEmpty: value.isEmpty, contains: value.contains)
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    SetShape<String>.reading(of: model, under: path)
  }
}
