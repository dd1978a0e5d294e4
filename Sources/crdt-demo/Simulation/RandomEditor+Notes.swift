import CRDTKit

extension RandomEditor {
  /// Changes a field of a note.
  mutating func editNote(in document: inout Document, at stamp: HybridTimestamp) throws {
    let note = record(of: SharedDocument.notes)
    switch generator.below(14) {
    case 0, 1: set("title", of: note, to: phrase(), in: &document, at: stamp)
    case 2, 3: set("body", of: note, to: phrase(), in: &document, at: stamp)
    case 4..<7: editTags(of: note, in: &document, at: stamp)
    case 7, 8: try editLikes(of: note, in: &document, at: stamp)
    case 9:
      let best = Document.Value.int(Int64(generator.below(1_000)))
      set("best", of: note, to: best, in: &document, at: stamp)
    case 10, 11: editAddress(of: note, in: &document, at: stamp)
    case 12: try editScores(of: note, in: &document, at: stamp)
    default: removeField(of: note, in: &document, at: stamp)
    }
  }

  private func set(
    _ path: FieldPath, of note: String, to value: Document.Value, in document: inout Document,
    at stamp: HybridTimestamp
  ) {
    document.edit(at: stamp) { edit in
      edit.set(path, of: note, in: SharedDocument.notes, to: value)
    }
  }

  private mutating func editTags(
    of note: String, in document: inout Document, at stamp: HybridTimestamp
  ) {
    let tags = [word(), word()].map { Document.Value.string($0) }
    let kind = generator.below(12)
    document.edit(at: stamp) { edit in
      switch kind {
      case 0: edit.set("tags", of: note, in: SharedDocument.notes, to: .array(tags))
      case 1..<5: edit.remove(tags[0], from: "tags", of: note, in: SharedDocument.notes)
      default: edit.insert(tags[0], into: "tags", of: note, in: SharedDocument.notes)
      }
    }
  }

  private mutating func editLikes(
    of note: String, in document: inout Document, at stamp: HybridTimestamp
  ) throws {
    let (number, isSet) = (Int64(generator.below(9) - 2), generator.below(8) == 0)
    try document.edit(at: stamp) { edit in
      if isSet {
        edit.set("likes", of: note, in: SharedDocument.notes, to: .int(number))
      } else {
        try edit.increment("likes", of: note, in: SharedDocument.notes, by: number)
      }
    }
  }

  /// Writes one name of a nested object, or all of it.
  private mutating func editAddress(
    of note: String, in document: inout Document, at stamp: HybridTimestamp
  ) {
    let (city, street) = (phrase(), phrase())
    switch generator.below(6) {
    case 0:
      let address: Document.Value = ["city": city, "street": street]
      set("address", of: note, to: address, in: &document, at: stamp)
    case 1...3: set("address.city", of: note, to: city, in: &document, at: stamp)
    default: set("address.street", of: note, to: street, in: &document, at: stamp)
    }
  }

  private mutating func editScores(
    of note: String, in document: inout Document, at stamp: HybridTimestamp
  ) throws {
    let (path, amount) = (FieldPath(["scores", word()]), Int64(generator.below(9) - 2))
    try document.edit(at: stamp) { edit in
      try edit.increment(path, of: note, in: SharedDocument.notes, by: amount)
    }
  }

  private mutating func removeField(
    of note: String, in document: inout Document, at stamp: HybridTimestamp
  ) {
    let fields: [FieldPath] = ["title", "tags", "likes", "address", "address.city", "scores"]
    let field = fields[generator.below(fields.count)]
    document.edit(at: stamp) { edit in
      edit.remove(field, of: note, in: SharedDocument.notes)
    }
  }
}
