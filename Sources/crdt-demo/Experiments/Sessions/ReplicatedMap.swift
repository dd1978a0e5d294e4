import CRDTKit

/// A map of registers that hold the time of the last update.
enum ReplicatedMap: ReplicatedContent {
  typealias Value = MergeMap<Int, MVRegister<UInt64>>

  static func makeValue() -> Value { MergeMap() }

  static func apply(_ update: ExperimentUpdate, to value: inout Value, by replica: ReplicaID) {
    guard case .stamp(let keys, let time) = update else { return }
    value.edit(by: replica) { editor in
      // In order, as the maps of the other algorithms stand.
      for key in keys.sorted() { editor.update(key) { $0.set(time) } }
    }
  }

  static func reading(of value: Value, node: (ReplicaID) -> UInt64) -> [UInt64: UInt64] {
    var reading: [UInt64: UInt64] = [:]
    for (key, register) in value { reading[UInt64(key)] = register.values.max() }
    return reading
  }
}
