package import CRDTKit
package import CRDTStoreTesting

/// ``ORSet`` in schedules.
package enum SetShape<Element: SampleElement>: RootShape {
  package typealias Value = ORSet<Element>

  package static var fewOperations: [Operation] { [.insert(0), .remove(0)] }

  package static func make() -> Value { ORSet() }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: .removeAll
    case 1..<15: .remove(randomSample(using: &random))
    default: .insert(randomSample(using: &random))
    }
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    switch operation {
    case .insert(let number): editor.insert(Element.sample(number))
    case .remove(let number): editor.remove(Element.sample(number))
    default: editor.removeAll()
    }
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    switch operation {
    case .insert(let number): value.insert(.sample(number), by: replica)
    case .remove(let number): value.remove(.sample(number), by: replica)
    default: value.removeAll(by: replica)
    }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    switch operation {
    case .insert(let number):
      let path = model.elementPath(path, Element.sample(number))
      model.write(number, at: path, by: replica, killing: model.dots(at: path))
    case .remove(let number):
      let path = model.elementPath(path, Element.sample(number))
      model.remove(model.dots(at: path), by: replica)
    default:
      model.remove(model.dots(under: path), by: replica)
    }
  }

  package static func reading(of value: Value) -> String {
    describe(
      Array(value), count: value.count, isEmpty: value.isEmpty, contains: value.contains)
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    let elements = model.elements(under: path, as: Element.self)
    return describe(
      elements, count: elements.count, isEmpty: elements.isEmpty, contains: elements.contains)
  }
}
