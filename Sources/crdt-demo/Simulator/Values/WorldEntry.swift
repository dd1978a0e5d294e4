import CRDTKit

/// What the keys of a map hold in a ``World``.
protocol WorldEntry: MapValue {
  static var rule: Oracle.Rule { get }

  /// Makes the change of a key that a number stands for.
  static func change(
    _ number: UInt64, of key: Int, in map: inout MergeMap<Int, Self>, by replica: ReplicaID
  ) -> (delta: TableDelta<MergeMap<Int, Self>>, change: OracleChange)

  /// What it reads as, in ascending order.
  var reading: [Int64] { get }
}

extension WorldEntry {
  /// Removes a key.
  static func removal(
    of key: Int, from map: inout MergeMap<Int, Self>, by replica: ReplicaID
  ) -> (delta: TableDelta<MergeMap<Int, Self>>, change: OracleChange) {
    let delta = map.edit(by: replica) { $0.removeValue(forKey: key) }
    return (delta, OracleChange(key: key, kind: .remove))
  }
}

extension MergeMap: WorldValue where Key == Int, Value: WorldEntry {
  static var rule: Oracle.Rule { Value.rule }

  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Self>, changes: [OracleChange]) {
    let key = Int(number % UInt64(keys))
    let (delta, change) = Value.change(number, of: key, in: &self, by: stamp.replica)
    return (delta, [change])
  }

  func reading(of key: Int) -> [Int64] { self[key]?.reading ?? [] }

  var summary: String { "\(count) keys" }
}

extension MVRegister: WorldEntry where Value == Int {
  static var rule: Oracle.Rule { .values }

  static func change(
    _ number: UInt64, of key: Int, in map: inout MergeMap<Int, Self>, by replica: ReplicaID
  ) -> (delta: TableDelta<MergeMap<Int, Self>>, change: OracleChange) {
    if (number >> 40) % 4 == 3 {
      return removal(of: key, from: &map, by: replica)
    }
    let payload = Int(number >> 8)
    let delta = map.edit(by: replica) { map in map.update(key) { $0.set(payload) } }
    return (delta, OracleChange(key: key, kind: .write, payload: Int64(payload)))
  }

  var reading: [Int64] { values.map { Int64($0) }.sorted() }
}

extension PNCounter: WorldEntry {
  static var rule: Oracle.Rule { .sum }

  static func change(
    _ number: UInt64, of key: Int, in map: inout MergeMap<Int, Self>, by replica: ReplicaID
  ) -> (delta: TableDelta<MergeMap<Int, Self>>, change: OracleChange) {
    let amount = Int64((number >> 48) % 9 + 1)
    switch (number >> 40) % 8 {
    case 7:
      return removal(of: key, from: &map, by: replica)
    case 5, 6:
      // So few and so small that a counter never overflows.
      let delta = map.edit(by: replica) { map in
        map.update(key) { try? $0.decrement(UInt64(amount)) }
      }
      return (delta, OracleChange(key: key, kind: .add, payload: -amount))
    default:
      let delta = map.edit(by: replica) { map in
        map.update(key) { try? $0.increment(UInt64(amount)) }
      }
      return (delta, OracleChange(key: key, kind: .add, payload: amount))
    }
  }

  var reading: [Int64] { [Int64(value)] }
}

/// What stands for a set where each insertion must be told from every other.
extension ORSet: WorldEntry where Element == Int64 {
  static var rule: Oracle.Rule { .values }

  static func change(
    _ number: UInt64, of key: Int, in map: inout MergeMap<Int, Self>, by replica: ReplicaID
  ) -> (delta: TableDelta<MergeMap<Int, Self>>, change: OracleChange) {
    if (number >> 40) % 3 == 2 {
      return removal(of: key, from: &map, by: replica)
    }
    let payload = Int64(number >> 8)
    let delta = map.edit(by: replica) { map in
      map.update(key) { _ = $0.insert(payload) }
    }
    return (delta, OracleChange(key: key, kind: .add, payload: payload))
  }

  var reading: [Int64] { sorted() }
}
