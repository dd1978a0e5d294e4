extension Document.Editor {
  /// Writes the fields in which a model differs from what was read before, and
  /// gives their paths; creates the record if there is none.
  ///
  /// Counters count by the difference of the two, sets get what was added and lose
  /// what was removed, and dictionaries lose the entries that the model has no more.
  /// All else is as in ``write(_:to:in:)``.
  ///
  /// - Parameters:
  ///   - model: The model as it is now.
  ///   - base: The model as it was read; without one, every field is written that
  ///     the record holds otherwise.
  ///   - record: The record.
  ///   - collection: Its collection.
  /// - Returns: The paths of the fields that were written.
  /// - Complexity: Expected O(size of the models).
  /// - Throws: `EncodingError`, with the coding path; nothing has changed then.
  @discardableResult
  public mutating func write<Model: Encodable>(
    _ model: Model, changedFrom base: Model?, to record: String, in collection: String
  ) throws -> [FieldPath] {
    guard let base else { return try write(model, to: record, in: collection) }
    let rules = schema.collections[collection]
    let changes = try Document.changes(from: base, to: model, under: rules)
    guard rules?.hasMergedFields == true else {
      return apply(changes, to: record, in: collection)
    }
    let node = try Self.node(of: model, under: rules)
    return changes.flatMap { change in
      writeState(of: change, from: node, to: record, in: collection)
        ?? apply([change], to: record, in: collection)
    }
  }

  /// Makes changes to a record, and gives the paths of the fields that came to be
  /// written; creates the record if there is none.
  ///
  /// A value that a field shows already isn't written again, nor is one that would
  /// not win under the field's rule.
  ///
  /// - Precondition: Paths have 1 to 32 names, with those within the values.
  /// - Complexity: Expected O(size of what is written and replaced).
  @discardableResult
  public mutating func apply(
    _ changes: [Document.FieldChange], to record: String, in collection: String
  ) -> [FieldPath] {
    let place = openRecord(record, in: collection)
    var written: [FieldPath] = []
    for change in changes {
      if case .assign(let value, _) = change.change {
        Document.Value.requireRoom(for: value, at: change.path)
      }
      let target: Target
      if change.path.names.count == 1 {
        let name = change.path.names[0]
        object = nil
        target = Target(place: place, name: name, rules: collectionRules?.rules?.beneath(name))
      } else {
        target = open(change.path, of: record, in: collection)
      }
      // Elements are taken and inserted by two changes of one field.
      if apply(change.change, to: target), written.last != change.path {
        written.append(change.path)
      }
    }
    return written
  }

  private mutating func apply(_ kind: Document.FieldChange.Kind, to target: Target) -> Bool {
    switch kind {
    case .assign(.object(let fields), before: nil) where fields.isEmpty:
      let before = table.eventCount
      _ = openObject(at: target)
      return table.eventCount != before
    case .assign(let value, _): return assignValue(value, to: target, isForced: false)
    case .remove: return clear(target)
    case .increment(let amount):
      return count(target, from: 0, to: amount)
    case .insert(let elements): return change(target, from: [], to: elements)
    case .take(let elements): return change(target, from: elements, to: [])
    }
  }
}
