import CRDTKit

/// One of CRDTKit's own types, as a node of an experiment holds it.
protocol ReplicatedContent {
  associatedtype Value: TableBacked

  /// What a node begins with.
  static func makeValue() -> Value

  /// Makes an update of an experiment.
  static func apply(_ update: ExperimentUpdate, to value: inout Value, by replica: ReplicaID)

  /// What the value says, as the experiments' lattices say it; `node` gives the place
  /// of a replica.
  static func reading(
    of value: Value, node: (ReplicaID) -> UInt64
  ) -> [UInt64: UInt64]
}

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
    for column in value._table.columns {
      let own = MergeMap<Int, GCounter>(_table: DotTable(columns: [column]))
      guard let count = own[key]?.exactValue else { continue }
      reading[node(column.replica)] = UInt64(clamping: count)
    }
    return reading
  }
}

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
