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
    let node = try Self.node(of: model)
    let baseNode = try Self.node(of: base)
    let place = openRecord(record, in: collection)
    object = nil
    var changed: [FieldPath] = []
    writeChanges(
      of: node, from: baseNode, in: place, under: collectionRules?.rules, changed: &changed)
    return changed
  }

  /// Writes what differs in the fields of an object.
  private mutating func writeChanges(
    of node: CodableNode, from base: CodableNode, in place: Document.Place,
    under rules: RuleTree?, changed: inout [FieldPath]
  ) {
    let before = Dictionary(base.fields.map { ($0.key, $0.node) }, uniquingKeysWith: { $1 })
    for field in node.fields {
      let target = Target(place: place, name: field.key, rules: rules?.beneath(field.key))
      guard let old = before[field.key] else {
        write(field.node, to: target, changed: &changed)
        continue
      }
      writeChange(of: field.node, from: old, to: target, changed: &changed)
    }
    guard case .shaped(_, .dictionary) = node else { return }
    let left = Set(node.fields.map(\.key))
    for name in before.keys.sorted(by: { $0.comes(before: $1) }) where !left.contains(name) {
      let target = Target(place: place, name: name, rules: rules?.beneath(name))
      if clear(target) { changed.append(target.path) }
    }
  }

  private mutating func writeChange(
    of node: CodableNode, from old: CodableNode, to target: Target, changed: inout [FieldPath]
  ) {
    let value = Document.Value(node)
    let oldValue = Document.Value(old)
    if value == oldValue { return }
    switch (node, old, value, oldValue, target.rule) {
    case (.object, .object, _, _, _), (.shaped(_, .dictionary), .shaped(_, .dictionary), _, _, _):
      let place = openObject(at: target)
      writeChanges(of: node, from: old, in: place, under: target.rules, changed: &changed)
    case (_, _, .int(let new), .int(let old), .counter):
      if count(target, from: old, to: new) { changed.append(target.path) }
    case (_, _, .array(let new), .array(let old), .set):
      if change(target, from: old, to: new) { changed.append(target.path) }
    default: write(node, to: target, changed: &changed)
    }
  }
}
