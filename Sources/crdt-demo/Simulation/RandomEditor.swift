import CRDTKit

/// Makes random operations on the shared document, repeated by their seed.
struct RandomEditor {
  var generator: SplitMix64
  /// What was added to the ledger's counters here.
  private(set) var added = [0, 0]
  /// How many entries were made in the ledger here.
  private(set) var entriesMade = 0

  init(generator: SplitMix64) {
    self.generator = generator
  }

  /// How many operations to make next, of so many that are left.
  mutating func batch(of left: Int, max: Int) -> Int {
    min(left, 1 + generator.below(max))
  }

  /// Makes one operation.
  mutating func edit(_ document: inout Document, by clock: inout SkewedClock) throws {
    let stamp = clock.next(using: &generator)
    switch generator.below(32) {
    case 0..<14: try editNote(in: &document, at: stamp)
    case 14..<20: editTask(in: &document, at: stamp)
    case 20..<23: editDraft(in: &document, at: stamp)
    case 23..<27: try editLedger(of: &document, at: stamp)
    case 27..<30: editRecord(of: &document, at: stamp)
    default: resolveConflict(in: &document, at: stamp)
    }
  }

  /// Once in a while, removes for good what was deleted a while ago; says how many
  /// records.
  ///
  /// Often not all replicas have heard of it by then, so a purge may meet what
  /// others have written meanwhile.
  mutating func tidy(_ document: inout Document, by clock: inout SkewedClock) -> Int {
    guard generator.happens(0.2) else { return 0 }
    var purged = 0
    document.edit(at: clock.next(using: &generator)) { edit in
      purged = edit.purge(retention: .milliseconds(200))
    }
    return purged
  }

  private mutating func editDraft(in document: inout Document, at stamp: HybridTimestamp) {
    let (draft, text) = (record(of: SharedDocument.drafts), phrase())
    document.edit(at: stamp) { edit in
      edit.set("text", of: draft, in: SharedDocument.drafts, to: text)
    }
  }

  /// Counts, or makes an entry that stays.
  private mutating func editLedger(
    of document: inout Document, at stamp: HybridTimestamp
  ) throws {
    let (collection, totals) = (SharedDocument.ledger, SharedDocument.totals)
    let (amount, item) = (generator.below(9) + 1, word())
    switch generator.below(4) {
    case 0:
      try document.edit(at: stamp) { edit in
        try edit.increment("visits", of: totals, in: collection, by: Int64(amount))
      }
      added[0] += amount
    case 1, 2:
      let change = generator.below(2) == 0 ? amount : -amount
      try document.edit(at: stamp) { edit in
        try edit.increment(["stock", item], of: totals, in: collection, by: Int64(change))
      }
      added[1] += change
    default:
      entriesMade += 1
      let entry = SharedDocument.entry(entriesMade, of: stamp.replica)
      document.edit(at: stamp) { edit in
        edit.set("text", of: entry, in: collection, to: SharedDocument.text(of: entry))
      }
    }
  }

  /// Creates, deletes or restores a record.
  private mutating func editRecord(of document: inout Document, at stamp: HybridTimestamp) {
    let collections = [SharedDocument.notes, SharedDocument.tasks, SharedDocument.drafts]
    let collection = collections[generator.below(collections.count)]
    let (record, kind) = (record(of: collection), generator.below(4))
    document.edit(at: stamp) { edit in
      switch kind {
      case 0: edit.create(record, in: collection)
      case 1: edit.restore(record, in: collection)
      default: edit.delete(record, in: collection)
      }
    }
  }

  /// Settles the conflict of a note or draft, if it has one, by one of its sides or
  /// by something new.
  private mutating func resolveConflict(
    in document: inout Document, at stamp: HybridTimestamp
  ) {
    let isNote = generator.below(2) == 0
    let collection = isNote ? SharedDocument.notes : SharedDocument.drafts
    let path: FieldPath = isNote ? "body" : "text"
    let (record, text, draw) = (record(of: collection), phrase(), Int(generator.next() >> 1))
    guard let conflict = document.conflict(of: path, of: record, in: collection) else { return }
    let choices = conflict.sides.map(\.value) + [text]
    document.edit(at: stamp) { edit in
      edit.resolve(conflict, with: choices[draw % choices.count])
    }
  }
}
