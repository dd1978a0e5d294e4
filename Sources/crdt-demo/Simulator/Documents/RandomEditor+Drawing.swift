import CRDTKit
import CRDTStoreTesting

extension RandomEditor {
  /// Draws a change of one of so many keys, each a field of its own in the document.
  mutating func drawKeyChange() -> Change {
    let key = generator.below(task.keys)
    let draw = generator.next()
    switch task.workload {
    case .mixed, .map: return Self.mapChange(key, isRemoval: draw % 4 == 3, payload: draw >> 8)
    case .set: return Self.setChange(key, isRemoval: draw % 3 == 2)
    case .counter: return counterChange(key, by: Int(draw % 19) - 9)
    // No process has a text: see `Scenario.problem`.
    case .notes, .text, .list: return Self.noteChange(key, payload: draw >> 8)
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

  /// Draws a change of a field of a note.
  mutating func drawNoteChange() -> Change {
    let note = record(of: SharedDocument.notes)
    switch generator.below(14) {
    case 0, 1: return setting("title", of: note, to: phrase())
    case 2, 3: return setting("body", of: note, to: phrase())
    case 4..<7: return drawTagsChange(of: note)
    case 7, 8: return drawLikesChange(of: note)
    case 9: return setting("best", of: note, to: .int(Int64(generator.below(1_000))))
    case 10, 11: return drawAddressChange(of: note)
    case 12: return drawScoresChange(of: note)
    default: return drawFieldRemoval(of: note)
    }
  }

  private func setting(_ path: FieldPath, of note: String, to value: Document.Value) -> Change {
    { $0.set(path, of: note, in: SharedDocument.notes, to: value) }
  }

  private mutating func drawTagsChange(of note: String) -> Change {
    let tags = [word(), word()].map { Document.Value.string($0) }
    let kind = generator.below(12)
    return { edit in
      switch kind {
      case 0: edit.set("tags", of: note, in: SharedDocument.notes, to: .array(tags))
      case 1..<5: edit.remove(tags[0], from: "tags", of: note, in: SharedDocument.notes)
      default: edit.insert(tags[0], into: "tags", of: note, in: SharedDocument.notes)
      }
    }
  }

  private mutating func drawLikesChange(of note: String) -> Change {
    let (number, isSet) = (Int64(generator.below(9) - 2), generator.below(8) == 0)
    if isSet { return setting("likes", of: note, to: .int(number)) }
    return { try $0.increment("likes", of: note, in: SharedDocument.notes, by: number) }
  }

  /// Writes one name of a nested object, or all of it.
  private mutating func drawAddressChange(of note: String) -> Change {
    let (city, street) = (phrase(), phrase())
    return switch generator.below(6) {
    case 0: setting("address", of: note, to: ["city": city, "street": street])
    case 1...3: setting("address.city", of: note, to: city)
    default: setting("address.street", of: note, to: street)
    }
  }

  private mutating func drawScoresChange(of note: String) -> Change {
    let (path, amount) = (FieldPath(["scores", word()]), Int64(generator.below(9) - 2))
    return { try $0.increment(path, of: note, in: SharedDocument.notes, by: amount) }
  }

  private mutating func drawFieldRemoval(of note: String) -> Change {
    let fields: [FieldPath] = ["title", "tags", "likes", "address", "address.city", "scores"]
    let field = fields[generator.below(fields.count)]
    return { $0.remove(field, of: note, in: SharedDocument.notes) }
  }

  /// Draws a change of a field of a task.
  mutating func drawTaskChange() -> Change {
    let task = record(of: SharedDocument.tasks)
    let (field, value) = taskField()
    return { $0.set(field, of: task, in: SharedDocument.tasks, to: value) }
  }

  private mutating func taskField() -> (path: FieldPath, value: Document.Value) {
    switch generator.below(7) {
    case 0: ("title", phrase())
    case 1: ("done", .bool(generator.below(2) == 0))
    case 2: ("owner", .string(word()))
    case 3: ("reviewer", .string(word()))
    case 4: ("opened", .timestamp(Double(generator.below(1_000_000))))
    case 5: ("due", .int(Int64(generator.below(1_000))))
    default: ("steps", .array([phrase(), .double(Double(generator.below(8)) / 4), .null]))
    }
  }

  /// How many records of a collection there are to be edited: so few that the
  /// replicas meet.
  private static let recordCount = 16

  /// The name of a record.
  mutating func record(of collection: String) -> String {
    "\(collection.prefix(1))\(generator.below(Self.recordCount))"
  }

  mutating func word() -> String {
    Self.words[generator.below(Self.words.count)]
  }

  mutating func phrase() -> Document.Value {
    .string(word() + " " + word())
  }

  /// One of them in two spellings, which are the same text.
  private static let words = [
    "amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "iris", "jade",
    "kelp", "larch", "moss", "north", "opal", "pine", "quartz", "reed", "slate", "tide",
    "umber", "vale", "willow", "yarrow", "café", "cafe\u{301}", "Übung", "東京", "🌲",
  ]
}
