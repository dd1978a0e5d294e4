import CRDTKit

/// A map with one growing counter: a counter of its own has no session.
enum ReplicatedCounter: ReplicatedContent {
  private static let key = 0

  static func makeValue() -> MergeMap<Int, GCounter> { MergeMap() }

  static func apply(
    _ update: ExperimentUpdate, to value: inout MergeMap<Int, GCounter>, by replica: ReplicaID
  ) {
    guard case .increment = update else { return }
    // A hundred increments can't overflow.
    value.update(key, by: replica) { try? $0.increment() }
  }

  static func reading(
    of value: MergeMap<Int, GCounter>, node: (ReplicaID) -> UInt64
  ) -> [UInt64: UInt64] {
    var reading: [UInt64: UInt64] = [:]
    for column in value.table.columns {
      let own = MergeMap<Int, GCounter>(table: DotTable(columns: [column]))
      guard let count = own[key]?.exactValue else { continue }
      reading[node(column.replica)] = UInt64(clamping: count)
    }
    return reading
  }
}
