import CRDTKit

extension RandomEditor {
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
}
