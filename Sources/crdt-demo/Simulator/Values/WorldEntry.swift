import CRDTKit

/// A change of a key, and how to make it; `nil` to remove the key.
typealias EntryEdit<Entry: MapValue> = (
  change: OracleChange, edit: ((inout Editor<Entry>) -> Void)?
)

/// What the keys of a map hold in a ``World``.
protocol WorldEntry: MapValue {
  static var rule: Oracle.Rule { get }

  /// The change of a key that a number stands for.
  static func drawn(_ number: UInt64, of key: Int) -> EntryEdit<Self>

  /// What it reads as, in ascending order.
  var reading: [Int64] { get }
}

extension MergeMap: WorldValue where Key == Int, Value: WorldEntry {
  static var rule: Oracle.Rule { Value.rule }

  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Self>, changes: [OracleChange]) {
    let key = Int(number % UInt64(keys))
    let (change, edit) = Value.drawn(number, of: key)
    let delta = self.edit(by: stamp.replica) { map in
      if let edit { map.update(key, edit) } else { map.removeValue(forKey: key) }
    }
    return (delta, [change])
  }

  func reading(of key: Int) -> [Int64] { self[key]?.reading ?? [] }

  var summary: String { "\(count) keys" }
}

extension MVRegister: WorldEntry where Value == Int {
  static var rule: Oracle.Rule { .values }

  static func drawn(_ number: UInt64, of key: Int) -> EntryEdit<Self> {
    if (number >> 40) % 4 == 3 { return (OracleChange(key: key, kind: .remove), nil) }
    let payload = Int(number >> 8)
    return (
      OracleChange(key: key, kind: .write, payload: Int64(payload)), { $0.set(payload) }
    )
  }

  var reading: [Int64] { values.map { Int64($0) }.sorted() }
}

extension PNCounter: WorldEntry {
  static var rule: Oracle.Rule { .sum }

  static func drawn(_ number: UInt64, of key: Int) -> EntryEdit<Self> {
    let amount = (number >> 48) % 9 + 1
    // So few and so small that a counter never overflows.
    switch (number >> 40) % 8 {
    case 7: return (OracleChange(key: key, kind: .remove), nil)
    case 5, 6:
      return (
        OracleChange(key: key, kind: .add, payload: -Int64(amount)), { try? $0.decrement(amount) }
      )
    default:
      return (
        OracleChange(key: key, kind: .add, payload: Int64(amount)), { try? $0.increment(amount) }
      )
    }
  }

  var reading: [Int64] { [Int64(value)] }
}

/// What stands for a set where each insertion must be told from every other.
extension ORSet: WorldEntry where Element == Int64 {
  static var rule: Oracle.Rule { .values }

  static func drawn(_ number: UInt64, of key: Int) -> EntryEdit<Self> {
    if (number >> 40) % 3 == 2 { return (OracleChange(key: key, kind: .remove), nil) }
    let payload = Int64(number >> 8)
    return (
      OracleChange(key: key, kind: .add, payload: payload), { _ = $0.insert(payload) }
    )
  }

  var reading: [Int64] { sorted() }
}
