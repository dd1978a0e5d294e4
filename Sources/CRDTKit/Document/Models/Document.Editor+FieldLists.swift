extension Document.Editor {
  /// Writes the fields of a list that differ from the record's.
  mutating func write(
    _ fields: KeyValuePairs<String, Document.Value>, to record: String, in collection: String
  ) -> [FieldPath] {
    let place = openRecord(record, in: collection)
    object = nil
    let rules = collectionRules?.rules
    var changed: [FieldPath] = []
    for (name, value) in fields {
      let target = Target(place: place, name: name, rules: rules?.beneath(name))
      writeListed(value, to: target, changed: &changed)
    }
    return changed
  }

  private mutating func writeListed(
    _ value: Document.Value, to target: Target, changed: inout [FieldPath]
  ) {
    let isWritten: Bool
    switch value {
    case .object(let fields): return writeListed(fields, to: target, changed: &changed)
    case .null: isWritten = writeAbsence(of: target)
    default: isWritten = assign(value, to: target, isForced: false)
    }
    if isWritten { changed.append(target.path) }
  }

  private mutating func writeListed(
    _ fields: [String: Document.Value], to target: Target, changed: inout [FieldPath]
  ) {
    let before = table.eventCount
    let place = openObject(at: target)
    if table.eventCount != before { changed.append(target.path) }
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      writeListed(value, to: target.field(name, in: place), changed: &changed)
    }
    for name in names(in: place) where fields[name] == nil {
      let field = target.field(name, in: place)
      if clear(field) { changed.append(field.path) }
    }
  }
}
