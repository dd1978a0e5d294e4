import CRDTKit

/// A replicated type as a ``World`` works with it.
protocol WorldValue: TableBacked {
  init()

  /// How what it reads as follows from the edits that it holds.
  static var rule: Oracle.Rule { get }

  /// Makes the change that a number stands for, on one of so many keys; gives its
  /// delta and what it did.
  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Self>, changes: [OracleChange])

  /// What a key reads as, in ascending order: nothing where there is nothing.
  func reading(of key: Int) -> [Int64]

  /// All that an edit of a key takes away: what it reads as, and what stands beside that.
  func payloads(under key: Int) -> [Int64]

  /// A reading as violations show it.
  static func words(of reading: [Int64]) -> String

  /// The greatest stamp in a delta, where there are stamps.
  static func latestTimestamp(in delta: TableDelta<Self>) -> HybridTimestamp?

  /// What it reads as, short.
  var summary: String { get }

  /// The text that it is, if it is one.
  var writtenText: WrittenText? { get }
}

extension WorldValue {
  func payloads(under key: Int) -> [Int64] { reading(of: key) }

  var writtenText: WrittenText? { nil }

  static func words(of reading: [Int64]) -> String { "\(reading)" }

  static func latestTimestamp(in delta: TableDelta<Self>) -> HybridTimestamp? { nil }
}

extension ORSet<Int>: WorldValue {
  static var rule: Oracle.Rule { .presence }

  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Self>, changes: [OracleChange]) {
    let key = Int(number % UInt64(keys))
    if (number >> 40) % 3 == 2 {
      let delta = edit(by: stamp.replica) { $0.remove(key) }
      return (delta, [OracleChange(key: key, kind: .remove)])
    }
    let delta = edit(by: stamp.replica) { $0.insert(key) }
    return (delta, [OracleChange(key: key, kind: .write, payload: 1)])
  }

  func reading(of key: Int) -> [Int64] { contains(key) ? [1] : [] }

  var summary: String {
    let elements = sorted()
    return elements.prefix(12).map(String.init).joined(separator: " ")
      + (elements.count > 12 ? " … \(elements.count)" : "")
  }
}
