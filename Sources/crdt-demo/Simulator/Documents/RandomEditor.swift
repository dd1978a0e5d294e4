import CRDTKit
import CRDTStoreTesting

/// Makes random operations on the shared document, repeated by their seed.
struct RandomEditor {
  var generator: SeededGenerator
  /// What was added to the ledger's counters here.
  private(set) var added: [Int]
  /// How many entries were made in the ledger here.
  private(set) var entriesMade: Int
  /// What the operations are.
  let task: ReplicaTask
  /// How many operations were drawn here.
  private(set) var operationsMade: Int

  /// Creates an editor that has made some changes of the ledger before.
  init(
    generator: SeededGenerator, added: [Int] = [0, 0], entriesMade: Int = 0,
    task: ReplicaTask = ReplicaTask(), operationsMade: Int = 0
  ) {
    self.task = task
    self.operationsMade = operationsMade
    self.generator = generator
    self.added = added
    self.entriesMade = entriesMade
  }

  /// A change that is drawn, to be made once.
  typealias Change = (inout Document.Editor) throws -> Void

  /// Makes one operation.
  mutating func edit(_ document: inout Document, by clock: inout ReplicaClock) throws {
    let stamp = clock.next()
    let change = drawChange(reading: document)
    try document.edit(at: stamp, change)
  }

  /// Draws an operation, and counts it as made.
  ///
  /// What is drawn does not depend on the document, but the side of a conflict that
  /// is chosen does.
  mutating func drawChange(reading document: @autoclosure () -> Document) -> Change {
    defer { operationsMade += 1 }
    if let change = nextOfScript() { return change }
    return task.workload == .mixed ? drawMixedChange(reading: document()) : drawKeyChange()
  }

  private mutating func drawMixedChange(reading document: @autoclosure () -> Document) -> Change {
    switch generator.below(32) {
    case 0..<14: drawNoteChange()
    case 14..<20: drawTaskChange()
    case 20..<23: drawDraftChange()
    case 23..<27: drawLedgerChange()
    case 27..<30: drawRecordChange()
    default: drawResolution(reading: document())
    }
  }

  /// Once in a while, removes for good what was deleted a while ago; says how many
  /// records.
  ///
  /// Often not all replicas have received it by then, so a purge may meet what
  /// others have written meanwhile.
  mutating func tidy(_ document: inout Document, by clock: inout ReplicaClock) -> Int {
    guard drawsTidying() else { return 0 }
    var purged = 0
    document.edit(at: clock.next()) { purged = Self.purge(&$0) }
    return purged
  }

  /// Whether it is time to remove what was deleted.
  mutating func drawsTidying() -> Bool {
    task.workload == .mixed && task.script == nil && generator.happens(0.2)
  }

  /// Counts what is added to the ledger's counters.
  mutating func add(_ amounts: [Int]) {
    for (place, amount) in amounts.enumerated() { added[place] += amount }
  }

  static func purge(_ edit: inout Document.Editor) -> Int {
    edit.purge(retention: .milliseconds(200))
  }

  private mutating func drawDraftChange() -> Change {
    let (draft, text) = (record(of: SharedDocument.drafts), phrase())
    return { $0.set("text", of: draft, in: SharedDocument.drafts, to: text) }
  }

  /// Counts, or makes an entry that stays.
  private mutating func drawLedgerChange() -> Change {
    let (collection, totals) = (SharedDocument.ledger, SharedDocument.totals)
    let (amount, item) = (generator.below(9) + 1, word())
    switch generator.below(4) {
    case 0:
      added[0] += amount
      return { try $0.increment("visits", of: totals, in: collection, by: Int64(amount)) }
    case 1, 2:
      let change = generator.below(2) == 0 ? amount : -amount
      added[1] += change
      return { try $0.increment(["stock", item], of: totals, in: collection, by: Int64(change)) }
    default:
      entriesMade += 1
      let number = entriesMade
      return { edit in
        let entry = SharedDocument.entry(number, of: edit.replica)
        edit.set("text", of: entry, in: collection, to: SharedDocument.text(of: entry))
      }
    }
  }

  /// Creates, deletes or restores a record.
  private mutating func drawRecordChange() -> Change {
    let collections = [SharedDocument.notes, SharedDocument.tasks, SharedDocument.drafts]
    let collection = collections[generator.below(collections.count)]
    let (record, kind) = (record(of: collection), generator.below(4))
    return { edit in
      switch kind {
      case 0: edit.create(record, in: collection)
      case 1: edit.restore(record, in: collection)
      default: edit.delete(record, in: collection)
      }
    }
  }

  /// Settles the conflict of a note or draft, if it has one, by one of its sides or
  /// by something new.
  private mutating func drawResolution(reading document: Document) -> Change {
    let isNote = generator.below(2) == 0
    let collection = isNote ? SharedDocument.notes : SharedDocument.drafts
    let path: FieldPath = isNote ? "body" : "text"
    let (record, text, draw) = (record(of: collection), phrase(), Int(generator.next() >> 1))
    guard let conflict = document.conflict(of: path, of: record, in: collection) else {
      return { _ in }
    }
    let choices = conflict.sides.map(\.value) + [text]
    return { $0.resolve(conflict, with: choices[draw % choices.count]) }
  }
}
