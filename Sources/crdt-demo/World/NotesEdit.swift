import CRDTKit

/// The change of a document that a number stands for, and what the ``Oracle`` is told
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
      generator: SplitMix64(seed: number), added: [0, 0], entriesMade: serial)
    change = editor.drawChange(reading: document())
    let counts = editor.added.enumerated().filter { $0.element != 0 }.map { place, amount in
      OracleChange(key: -1 - place, kind: .add, payload: Int64(amount))
    }
    changes = counts.isEmpty ? [OracleChange(key: -3, kind: .add)] : counts
  }
}
