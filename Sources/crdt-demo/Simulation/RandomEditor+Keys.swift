import CRDTKit

extension RandomEditor {
  /// Draws a change of one of so many keys, each a field of its own in the document.
  mutating func drawKeyChange() -> Change {
    let key = generator.below(task.keys)
    let draw = generator.next()
    switch task.workload {
    case .mixed, .map: return Self.mapChange(key, isRemoval: draw % 4 == 3, payload: draw >> 8)
    case .set: return Self.setChange(key, isRemoval: draw % 3 == 2)
    case .counter: return counterChange(key, by: Int(draw % 19) - 9)
    case .notes: return Self.noteChange(key, payload: draw >> 8)
    }
  }

  /// The next change of a history, if there is one to be replayed.
  mutating func nextOfScript() -> Change? {
    guard let script = task.script, operationsMade < script.count else { return nil }
    let edit = script[operationsMade]
    return Self.mapChange(
      edit.key, isRemoval: edit.isRemoval, payload: UInt64(operationsMade))
  }

  /// Writes what stays beside what others write meanwhile, or takes away what is known.
  private static func mapChange(_ key: Int, isRemoval: Bool, payload: UInt64) -> Change {
    let (draft, collection) = ("k\(key)", SharedDocument.drafts)
    if isRemoval { return { $0.remove("text", of: draft, in: collection) } }
    let value = Document.Value.int(Int64(payload >> 16))
    return { $0.set("text", of: draft, in: collection, to: value) }
  }

  /// Adds an element to a set, or removes it.
  private static func setChange(_ key: Int, isRemoval: Bool) -> Change {
    let (element, collection) = (Document.Value.int(Int64(key)), SharedDocument.notes)
    if isRemoval { return { $0.remove(element, from: "tags", of: "elements", in: collection) } }
    return { $0.insert(element, into: "tags", of: "elements", in: collection) }
  }

  /// Counts in the ledger, whose sums must be exact.
  private mutating func counterChange(_ key: Int, by amount: Int) -> Change {
    let path: FieldPath = ["stock", "k\(key)"]
    add([0, amount])
    return {
      try $0.increment(
        path, of: SharedDocument.totals, in: SharedDocument.ledger, by: Int64(amount))
    }
  }

  /// Writes a field of a note.
  private static func noteChange(_ key: Int, payload: UInt64) -> Change {
    let value = Document.Value.int(Int64(payload >> 16))
    return {
      $0.set(Document.field(of: key), of: Document.note(of: key), in: Document.fields, to: value)
    }
  }
}
