import CRDTKit

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
