extension Document.Editor {
  /// Writes the fields of a model that differ from the record's, and gives their
  /// paths; creates the record if there is none.
  ///
  /// A struct is written field by field, a dictionary entry by entry, if its keys
  /// are texts or numbers; an array, an enum and a ``WholeValue`` as one value. A
  /// whole number under the rule ``FieldRule/counter`` counts by the difference. A
  /// `Set` adds and removes elements unless a rule says otherwise, and so does an array
  /// under ``FieldRule/set``. An optional
  /// field that is `nil` is written as null where the record has a value.
  ///
  /// A model that is ``FieldRepresentable`` is written by its list of fields instead,
  /// which doesn't tell a set from an array: give the field its rule.
  ///
  /// Fields of the record that the model's type doesn't know stay as they are.
  /// What someone else has written since the model was read is overwritten where
  /// the model differs: write a fresh copy.
  ///
  /// - Complexity: Expected O(size of the model), and O(entries and elements of
  ///   the record) for dictionaries and sets.
  /// - Throws: `EncodingError`, with the coding path, where the model can't be
  ///   encoded, isn't encoded as fields, is nested deeper than 32 levels, or has a number
  ///   that is none, or infinite: JSON can't say it.
  ///   Nothing has changed then.
  @discardableResult
  public mutating func write(
    _ model: some Encodable, to record: String, in collection: String
  ) throws -> [FieldPath] {
    if let fields = try Document.list(of: model, under: schema.collections[collection]) {
      for (name, value) in fields { try Document.requireFinite(value, at: [name]) }
      return write(fields, to: record, in: collection)
    }
    let node = try Self.node(of: model, under: schema.collections[collection])
    try Document.requireFinite(node)
    let place = openRecord(record, in: collection)
    object = nil
    let rules = collectionRules?.rules
    var changed: [FieldPath] = []
    let fields = node.fields
    for field in fields {
      let target = Target(place: place, name: field.key, rules: rules?.beneath(field.key))
      write(field.node, to: target, changed: &changed)
    }
    if case .shaped(_, .dictionary) = node {
      clear(place, except: fields, under: rules, changed: &changed)
    }
    return changed
  }

  /// The node of a model; that of a record's fields.
  static func node(
    of model: some Encodable, under rules: Schema.Collection?
  ) throws -> CodableNode {
    let node = try NodeEncoder.node(of: model, depth: 0, style: .model)
    let name = type(of: model)
    switch node {
    case .object, .shaped(.object, .dictionary): break
    default:
      throw refusal(of: model, "A record is a struct or a dictionary with names, not \(name).")
    }
    return rules?.kept(node) ?? node
  }

  private static func refusal(of model: Any, _ reason: String) -> EncodingError {
    EncodingError.invalidValue(
      model, EncodingError.Context(codingPath: [], debugDescription: reason))
  }

  mutating func write(
    _ node: CodableNode, to target: Target, changed: inout [FieldPath]
  ) {
    let isWritten: Bool
    switch node {
    case .object(let fields):
      return write(fields, to: target, isWhole: false, changed: &changed)
    case .shaped(.bytes(let bytes), .state(let type)) where target.rule == .merged:
      isWritten = writeState(bytes, of: type, to: target)
    case .shaped(.object(let fields), .dictionary):
      return write(fields, to: target, isWhole: true, changed: &changed)
    case .shaped(.array, .set):
      isWritten = assign(Document.Value(node), to: target.ofSet, isForced: false)
    case .shaped(_, .absent): isWritten = writeAbsence(of: target)
    case .shaped(let whole, .whole):
      isWritten = assignValue(Document.Value(whole), to: target, isForced: false)
    default: isWritten = assign(Document.Value(node), to: target, isForced: false)
    }
    if isWritten { changed.append(target.path) }
  }

  private mutating func write(
    _ fields: [CodableNode.Field], to target: Target, isWhole: Bool, changed: inout [FieldPath]
  ) {
    let before = table.eventCount
    let place = openObject(at: target)
    if table.eventCount != before { changed.append(target.path) }
    for field in fields {
      write(field.node, to: target.field(field.key, in: place), changed: &changed)
    }
    if isWhole { clear(place, except: fields, under: target.rules, changed: &changed) }
  }

  /// Removes the entries that a dictionary has no more.
  private mutating func clear(
    _ place: Document.Place, except fields: [CodableNode.Field], under rules: RuleTree?,
    changed: inout [FieldPath]
  ) {
    let left = Set(fields.map(\.key))
    for name in names(in: place) where !left.contains(name) {
      let target = Target(place: place, name: name, rules: rules?.beneath(name))
      if clear(target) { changed.append(target.path) }
    }
  }

  mutating func writeAbsence(of target: Target) -> Bool {
    if isNewRecord, dots(of: target.key).isEmpty { return false }
    guard rows(of: target).shown(at: target) != nil else { return false }
    return assignValue(.null, to: target, isForced: false)
  }
}

extension CodableNode {
  /// The fields of an object or dictionary; none of anything else.
  var fields: [Field] {
    switch self {
    case .object(let fields), .shaped(.object(let fields), _): fields
    default: []
    }
  }
}

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
