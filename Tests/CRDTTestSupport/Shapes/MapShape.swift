package import CRDTKit
package import CRDTStoreTesting

/// ``MergeMap`` in schedules, of values of any shape.
package enum MapShape<Inner: Shape>: RootShape {
  package typealias Value = MergeMap<String, Inner.Value>

  package static var fewOperations: [Operation] {
    Inner.fewOperations.map { .under(0, $0) } + [.removeKey(0)]
  }

  package static func make() -> Value { MergeMap() }

  private static var keyCount: Int { 6 }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    let key = Int.random(in: 0..<keyCount, using: &random)
    return Int.random(in: 0..<5, using: &random) == 0
      ? .removeKey(key) : .under(key, Inner.operation(using: &random))
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    switch operation {
    case .under(let key, let inner):
      editor.update(String.sample(key)) { Inner.perform(inner, in: &$0) }
    case .removeKey(let key): editor.removeValue(forKey: String.sample(key))
    default: break
    }
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    switch operation {
    case .under(let key, let inner):
      value.update(.sample(key), by: replica) { Inner.perform(inner, in: &$0) }
    case .removeKey(let key): value.removeValue(forKey: .sample(key), by: replica)
    default: break
    }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    switch operation {
    case .under(let key, let inner):
      Inner.perform(inner, on: &model, under: path + [.sample(key)], by: replica)
    case .removeKey(let key):
      Inner.removeAll(from: &model, under: path + [.sample(key)], by: replica)
    default: break
    }
  }

  package static var leavesTraces: Bool { Inner.leavesTraces }

  package static func removeAll(
    from model: inout ReferenceTable, under path: [String], by replica: ReplicaID
  ) {
    guard leavesTraces else { return model.remove(model.dots(under: path), by: replica) }
    for key in Set(model.dots(under: path).compactMap { model.rows[$0]?.path[path.count] }) {
      Inner.removeAll(from: &model, under: path + [key], by: replica)
    }
  }

  package static func reading(of value: Value) -> String {
    let pairs = value.map { ($0.key, Inner.reading(of: $0.value)) }
    let found = (0..<keyCount).filter { value[.sample($0)] != nil }
    return describe(pairs, count: value.count, isEmpty: value.isEmpty, found: found)
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    let keys = Set(model.dots(under: path).compactMap { model.rows[$0]?.path[path.count] })
    let pairs = keys.map { ($0, Inner.reading(of: model, under: path + [$0])) }
    let found = (0..<keyCount).filter { keys.contains(.sample($0)) }
    return describe(pairs, count: keys.count, isEmpty: keys.isEmpty, found: found)
  }

  /// Pairs in the order of their keys: the order in the map is for the comparison
  /// of replicas.
  private static func describe(
    _ pairs: [(String, String)], count: Int, isEmpty: Bool, found: [Int]
  ) -> String {
    let sorted = pairs.sorted { $0.0 < $1.0 }.map { "\($0.0): {\($0.1)}" }
    return "\(count) \(isEmpty) \(sorted) \(found)"
  }
}
