import CRDTKit

/// The growing set.
enum ReplicatedSet: ReplicatedContent {
  static func makeValue() -> GSet<UInt64> { GSet() }

  static func apply(
    _ update: ExperimentUpdate, to value: inout GSet<UInt64>, by replica: ReplicaID
  ) {
    if case .insert(let number) = update { value.insert(UInt64(number), by: replica) }
  }

  static func reading(
    of value: GSet<UInt64>, node: (ReplicaID) -> UInt64
  ) -> [UInt64: UInt64] {
    Dictionary(uniqueKeysWithValues: value.map { ($0, 1) })
  }
}
