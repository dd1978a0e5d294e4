import CRDTKit
import CRDTStoreTesting

extension Document: WorldValue {
  init() { self.init(schema: SharedDocument.schema) }

  static var rule: Oracle.Rule { .latest }

  static func latestTimestamp(in delta: TableDelta<Document>) -> HybridTimestamp? {
    delta.latestTimestamp
  }

  /// Makes the ``NotesEdit`` that a number stands for.
  mutating func change(
    _ number: UInt64, among keys: Int, at stamp: HybridTimestamp
  ) -> (delta: TableDelta<Document>, changes: [OracleChange]) {
    let drawn = NotesEdit(number, among: keys, reading: self)
    guard number >> 63 == 1 else {
      // It throws nothing, so that no copy need be kept.
      return (edit(at: stamp) { try? drawn.change(&$0) }, drawn.changes)
    }
    let delta = (try? edit(at: stamp, drawn.change)) ?? delta(since: version)
    return (delta, drawn.changes)
  }

  func reading(of key: Int) -> [Int64] {
    if key < 0 { return key == -3 ? [] : [Int64(DocumentSummary(document: self).sums[-1 - key])] }
    let field = value(of: Self.field(of: key), of: Self.note(of: key), in: Self.fields)
    if case .int(let payload) = field { return [payload] }
    return []
  }

  func payloads(under key: Int) -> [Int64] {
    guard key >= 0 else { return [] }
    let all = alternatives(of: Self.field(of: key), of: Self.note(of: key), in: Self.fields)
    return all.compactMap { if case .int(let payload) = $0.value { payload } else { nil } }
  }

  static let fields = "pages"

  static func note(of key: Int) -> String { "note \(key / 4)" }

  static func field(of key: Int) -> FieldPath { ["field \(key % 4)"] }

  var summary: String {
    collections.map { "\(records(in: $0).count) \($0)" }.joined(separator: ", ")
  }
}

/// The change of a document that a number stands for, and what the ``Oracle`` records
/// of it.
struct NotesEdit {
  /// To be made once.
  let change: RandomEditor.Change
  let changes: [OracleChange]

  /// Draws the change; the document is only read where a conflict is to be resolved.
  ///
  /// Numbers with the highest bit are operations of the other engine. What the ledger
  /// must hold after those is known: its two counts and its entries have keys of their
  /// own, below 0.
  init(_ number: UInt64, among keys: Int, reading document: @autoclosure () -> Document) {
    guard number >> 63 == 1 else {
      let key = Int(number % UInt64(keys))
      let payload = Int64(number >> 8)
      change = { edit in
        edit.set(
          Document.field(of: key), of: Document.note(of: key), in: Document.fields,
          to: .int(payload))
      }
      changes = [OracleChange(key: key, kind: .write, payload: payload)]
      return
    }
    let serial = Int((number >> 8) & 0xFFFF_FFFF_FFFF)
    var editor = RandomEditor(
      generator: SeededGenerator(seed: number), added: [0, 0], entriesMade: serial)
    change = editor.drawChange(reading: document())
    let counts = editor.added.enumerated().filter { $0.element != 0 }.map { place, amount in
      OracleChange(key: -1 - place, kind: .add, payload: Int64(amount))
    }
    changes = counts.isEmpty ? [OracleChange(key: -3, kind: .add)] : counts
  }
}
