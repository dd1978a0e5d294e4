import CRDTKit

extension Document: WorldValue {
  init() { self.init(schema: SharedDocument.schema) }

  static var rule: Oracle.Rule { .latest }

  static func latestTimestamp(in delta: TableDelta<Document>) -> HybridTimestamp? {
    delta.latestTimestamp
  }

  /// Writes a field of a note, or makes one of the operations of the other engine.
  ///
  /// What the ledger must hold after those is known: its two counts and its entries
  /// have keys of their own, below 0.
  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Document>, changes: [OracleChange]) {
    guard number >> 63 == 1 else { return write(number, among: keys, at: stamp) }
    let serial = Int((number >> 8) & 0xFFFF_FFFF_FFFF)
    var editor = RandomEditor(
      generator: SplitMix64(seed: number), added: [0, 0], entriesMade: serial)
    let change = editor.drawChange(reading: self)
    let delta = (try? edit(at: stamp, change)) ?? delta(since: version)
    var changes: [OracleChange] = []
    for (place, amount) in editor.added.enumerated() where amount != 0 {
      changes.append(OracleChange(key: -1 - place, kind: .add, payload: Int64(amount)))
    }
    if changes.isEmpty { changes.append(OracleChange(key: -3, kind: .add)) }
    return (delta, changes)
  }

  private mutating func write(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Document>, changes: [OracleChange]) {
    let key = Int(number % UInt64(keys))
    let payload = Int64(number >> 8)
    let delta = edit(at: stamp) { edit in
      edit.set(Self.field(of: key), of: Self.note(of: key), in: Self.fields, to: .int(payload))
    }
    return (delta, [OracleChange(key: key, kind: .write, payload: payload)])
  }

  func reading(of key: Int) -> [Int64] {
    if key < 0 { return key == -3 ? [] : [Int64(DocumentSummary(document: self).sums[-1 - key])] }
    let field = value(of: Self.field(of: key), of: Self.note(of: key), in: Self.fields)
    if case .int(let payload) = field { return [payload] }
    return []
  }

  static let fields = "pages"

  static func note(of key: Int) -> String { "note \(key / 4)" }

  static func field(of key: Int) -> FieldPath { ["field \(key % 4)"] }

  var summary: String {
    collections.map { "\(records(in: $0).count) \($0)" }.joined(separator: ", ")
  }
}
