package import CRDTKit
package import CRDTStoreTesting

/// A map of some hundred registers that are overwritten again and again, so that
/// pages are left almost empty and packed together.
package enum OverwriteShape: RootShape {
  package typealias Value = MergeMap<Int, MVRegister<Int>>

  static var keyCount: Int { 300 }

  package static var fewOperations: [Operation] { [.under(0, .set(0, at: 0)), .removeKey(0)] }

  package static func make() -> Value { MergeMap() }

  package static func operation(using random: inout SeededGenerator) -> Operation {
    let key = Int.random(in: 0..<keyCount, using: &random)
    return Int.random(in: 0..<30, using: &random) == 0
      ? .removeKey(key) : .under(key, .set(Int.random(in: 0..<9, using: &random), at: 0))
  }

  package static func perform(_ operation: Operation, in editor: inout Editor<Value>) {
    switch operation {
    case .under(let key, .set(let value, _)): editor.update(key) { $0.set(value) }
    case .removeKey(let key): editor.removeValue(forKey: key)
    default: break
    }
  }

  package static func perform(
    _ operation: Operation, on value: inout Value, by replica: ReplicaID
  ) {
    switch operation {
    case .under(let key, .set(let number, _)):
      value.update(key, by: replica) { $0.set(number) }
    case .removeKey(let key): value.removeValue(forKey: key, by: replica)
    default: break
    }
  }

  package static func perform(
    _ operation: Operation, on model: inout ReferenceTable, under path: [String],
    by replica: ReplicaID
  ) {
    switch operation {
    case .under(let key, .set(let number, _)):
      let path = [String(key)]
      model.write(number, at: path, by: replica, killing: model.dots(at: path))
    case .removeKey(let key): model.remove(model.dots(at: [String(key)]), by: replica)
    default: break
    }
  }

  package static func reading(of value: Value) -> String {
    "\(value.count) " + (0..<keyCount).map { describe(value[$0]?.values ?? []) }.joined()
  }

  package static func reading(of model: ReferenceTable, under path: [String]) -> String {
    let values = (0..<keyCount).map { key in
      model.dots(at: [String(key)]).sorted().compactMap { model.rows[$0]?.payload }
    }
    return "\(values.count { !$0.isEmpty }) " + values.map(describe).joined()
  }

  private static func describe(_ values: [Int]) -> String {
    values.isEmpty ? "-" : values.map { String($0) }.joined(separator: "/") + " "
  }
}
