extension Document.Editor {
  /// Writes the fields of a model that differ from the record's, and returns their paths.
  ///
  /// The record is created if it does not exist. A struct is written field by field. A
  /// dictionary is written entry by entry if its keys are texts or numbers. An enum, a
  /// ``WholeValue``, and an array that is neither a set nor a list are written as one value. A
  /// whole number under the rule ``Schema/FieldRule/counter`` counts by the difference. A `Set`
  /// adds and removes elements unless a rule says otherwise, and so does an array under
  /// ``Schema/FieldRule/set``. Under ``Schema/FieldRule/text`` and ``Schema/FieldRule/list``, a
  /// string and an array are written by their differences from what the field shows. An
  /// optional field that is `nil` is written as null if the record has a value.
  ///
  /// A ``FieldRepresentable`` model is written by its list of fields instead. The list
  /// does not distinguish a set from an array: give the field its rule.
  ///
  /// Fields of the record that the model's type doesn't know stay as they are. If the
  /// model differs from a change that someone else has made since you read it, the change
  /// is overwritten: write a fresh copy.
  ///
  /// - Complexity: Expected O(size of the model), and O(entries and elements of the
  ///   record) for dictionaries and sets.
  /// - Throws: `EncodingError`, with the coding path, if the model can't be encoded,
  ///   isn't encoded as fields, is nested deeper than 32 levels, or has a number that is
  ///   NaN or infinite, which JSON can't represent. Then nothing has changed.
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
    let known = knownRows(of: place, forFields: fields.count)
    for field in known?.changes(in: fields, under: rules) ?? fields {
      let target = Target(place: place, name: field.key, rules: rules?.beneath(field.key))
      write(field.node, to: target, changed: &changed)
    }
    if case .shaped(_, .dictionary) = node {
      clear(place, except: fields, under: rules, changed: &changed)
    }
    return changed
  }

  /// The node of a model, under the names of the record's fields.
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

  /// The rows of an open record before a model is written, so that unchanged fields need no
  /// search of their own.
  ///
  /// `nil` if there are none or many more than the model has fields, if they are of many
  /// objects, or if the changes have not seen all of them.
  mutating func knownRows(
    of place: Document.Place, forFields count: Int
  ) -> Document.RecordRows? {
    guard isSeen == nil, !isNewRecord else { return nil }
    table.prepareGroups()
    guard table.hasFewRows(under: place.hash, atMost: 4 * count + 64) else { return nil }
    let rows = Document.RecordRows(of: place, in: table)
    return rows.isWhole ? rows : nil
  }

  private mutating func write(
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
    case .array(let nodes) where readingRule(of: target) == .list:
      isWritten = write(nodes, toListAt: target)
    default: isWritten = assign(Document.Value(node), to: target, isForced: false)
    }
    if isWritten { changed.append(target.path) }
  }

  /// Writes the elements of a list, each as a field of the model.
  private mutating func write(_ nodes: [CodableNode], toListAt target: Target) -> Bool {
    changeList(at: target, from: nil, to: nodes.map { Document.Value($0) }) {
      edit, index, element, _ in edit.writeElement(nodes[index], to: element)
    }
  }

  private mutating func write(
    _ fields: [CodableNode.Field], to target: Target, isWhole: Bool,
    changed: inout [FieldPath]
  ) {
    let place = openObject(at: target, changed: &changed)
    for field in fields {
      write(field.node, to: target.field(field.key, in: place), changed: &changed)
    }
    if isWhole { clear(place, except: fields, under: target.rules, changed: &changed) }
  }

  /// Removes the entries that a dictionary no longer has.
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

  /// Makes a field of a model show an object, and returns the object's place.
  mutating func openObject(
    at target: Target, changed: inout [FieldPath]
  ) -> Document.Place {
    let before = table.eventCount
    let place = openObject(at: target)
    if table.eventCount != before { changed.append(target.path) }
    return place
  }

  mutating func writeAbsence(of target: Target) -> Bool {
    if isNewRecord, dots(of: target.key).isEmpty { return false }
    guard rows(of: target).shown(at: target) != nil else { return false }
    return assignValue(.null, to: target, isForced: false)
  }
}

extension CodableNode {
  /// The fields of an object or dictionary; empty for other nodes.
  var fields: [Field] {
    switch self {
    case .object(let fields), .shaped(.object(let fields), _): fields
    default: []
    }
  }
}

extension Document.Editor {
  /// Writes the fields in which a model differs from the version that was read, and
  /// returns their paths.
  ///
  /// The record is created if it does not exist. Counters count by the difference of the
  /// two versions. Sets gain the added elements and lose the removed ones. Texts and lists get
  /// the edits that lead from the base to the model, so what others have changed in them
  /// since stays. Dictionaries lose the entries that the model no longer has. Otherwise this
  /// is ``write(_:to:in:)``.
  ///
  /// - Parameters:
  ///   - model: The model as it is now.
  ///   - base: The model as it was read. Without it, every field that differs from the
  ///     record's is written.
  ///   - record: The name of the record.
  ///   - collection: The record's collection.
  /// - Returns: The paths of the written fields.
  /// - Complexity: Expected O(size of the models).
  /// - Throws: `EncodingError`, with the coding path. Then nothing has changed.
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

  /// Applies changes to a record, and returns the paths of the written fields.
  ///
  /// The record is created if it does not exist. A value is not written if the field
  /// shows it already, or if it would not win under the field's rule.
  ///
  /// - Precondition: Each path, with the names within its value, has 1 to 32 names.
  /// - Complexity: Expected O(size of the written and replaced values).
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
      // One field may have two changes: elements removed and elements added.
      if apply(change.change, to: target), written.last != change.path {
        written.append(change.path)
      }
    }
    return written
  }

  @discardableResult
  mutating func apply(_ kind: Document.FieldChange.Kind, to target: Target) -> Bool {
    switch kind {
    case .assign(.object(let fields), before: nil) where fields.isEmpty:
      let before = table.eventCount
      _ = openObject(at: target)
      return table.eventCount != before
    case .assign(.string(let string), let before) where readsAsText(target):
      var base: String?
      if case .string(let old)? = before { base = old }
      return assignText(string, changedFrom: base, to: target)
    case .assign(.array(let values), let before) where readingRule(of: target) == .list:
      var base: [Document.Value] = []
      if case .array(let old)? = before { base = old }
      return assignList(values, changedFrom: base, to: target)
    case .assign(let value, _): return assignValue(value, to: target, isForced: false)
    case .remove: return clear(target)
    case .increment(let amount):
      return count(target, from: 0, to: amount)
    case .insert(let elements): return change(target, from: [], to: elements)
    case .take(let elements): return change(target, from: elements, to: [])
    }
  }
}
