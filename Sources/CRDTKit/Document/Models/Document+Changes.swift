extension Document {
  /// The changes of fields that turn one version of a model into another.
  ///
  /// Under ``Schema/FieldRule/counter`` the change of a whole number is a difference, and under
  /// ``Schema/FieldRule/set`` the change of an array or set is in elements. Nested structs and
  /// dictionaries are compared name by name. An optional that was set to `nil` is
  /// assigned null. A field of type `Set` changes by elements unless a rule says
  /// otherwise.
  ///
  /// - Parameters:
  ///   - base: The model before the changes; `nil` for a new one.
  ///   - model: The model after the changes.
  ///   - rules: The rules of its collection.
  /// - Returns: The changes, in the order of the model's fields.
  /// - Complexity: O(size of the models).
  /// - Throws: `EncodingError`, with the coding path, if encoding fails or a number to be
  ///   written is NaN or infinite.
  public static func changes<Model: Encodable>(
    from base: Model?, to model: Model, under rules: Schema.Collection? = nil
  ) throws -> [FieldChange] {
    try differences(from: base, to: model, under: rules).changes
  }

  /// The changes, and the fields that they create: objects, counters and sets that did
  /// not exist.
  ///
  /// The changes themselves don't show which fields are new.
  package static func differences<Model: Encodable>(
    from base: Model?, to model: Model, under rules: Schema.Collection?
  ) throws -> (changes: [FieldChange], made: [FieldPath]) {
    if let fields = try list(of: model, under: rules) {
      var differences = ModelDifferences()
      let old = try base.flatMap { try list(of: $0, under: rules) } ?? [:]
      differences.compare(fields, with: old, rules?.rules)
      try requireFinite(differences.changes)
      return (differences.changes, differences.made)
    }
    let node = try Editor.node(of: model, under: rules)
    var differences = ModelDifferences()
    let baseNode = try base.map { try Editor.node(of: $0, under: rules) } ?? .object([])
    differences.compare(node, with: baseNode, rules?.rules)
    try requireFinite(differences.changes)
    return (differences.changes, differences.made)
  }
}

extension Document {
  /// The changes that turn a record's old fields into its new ones.
  ///
  /// For fields without a rule, `isSet` tells whether the field is a set, which changes
  /// by elements.
  ///
  /// - Complexity: O(size of the fields).
  package static func differences(
    from old: [String: Value], to new: [String: Value], under rules: Schema.Collection?,
    isSet: @escaping (FieldPath) -> Bool
  ) -> [FieldChange] {
    var differences = ModelDifferences()
    differences.isSet = isSet
    differences.compare(new, with: old, rules?.rules)
    return differences.changes
  }

  /// The same for the fields of an object, with the rules beneath it.
  static func differences(
    from old: [String: Value], to new: [String: Value], under rules: RuleTree?
  ) -> [FieldChange] {
    var differences = ModelDifferences()
    differences.compare(new, with: old, rules)
    return differences.changes
  }
}

/// Finds the differences between two encoded models.
private struct ModelDifferences {
  var changes: [Document.FieldChange] = []
  /// The objects, counters and sets that did not exist; outer ones first.
  var made: [FieldPath] = []
  /// The names that lead to the compared fields.
  private var names: [String] = []
  /// Whether a field without a rule, and without a type that tells, is a set.
  var isSet: (FieldPath) -> Bool = { _ in false }

  private mutating func add(_ kind: Document.FieldChange.Kind) {
    changes.append(Document.FieldChange(FieldPath(names), kind))
  }

  /// Compares the fields of two objects.
  mutating func compare(_ node: CodableNode, with base: CodableNode, _ rules: RuleTree?) {
    let (fields, old) = (node.fields, base.fields)
    for (place, field) in fields.enumerated() {
      // A type encodes its fields in one order, so most have the same index.
      let before =
        place < old.count && old[place].key == field.key
        ? old[place].node : old.first { $0.key == field.key }?.node
      if let before, field.node.isSame(as: before) { continue }
      names.append(field.key)
      compare(field.node, with: before, at: rules?.beneath(field.key))
      names.removeLast()
    }
    guard case .shaped(_, .dictionary) = node else { return }
    let left = Set(fields.map(\.key))
    for field in old.sorted(by: { $0.key.comes(before: $1.key) }) where !left.contains(field.key) {
      names.append(field.key)
      add(.remove(before: Document.Value(field.node)))
      names.removeLast()
    }
  }

  /// Compares the values of one field.
  private mutating func compare(
    _ node: CodableNode, with base: CodableNode?, at rules: RuleTree?
  ) {
    let old = base.flatMap { $0.isAbsent ? nil : $0 }
    if node.isAbsent {
      if let old, case let before = Document.Value(old), before != .null {
        add(.assign(.null, before: before))
      }
      return
    }
    if node.isObject {
      if let old, old.isObject { return compare(node, with: old, rules) }
      if old == nil { made.append(FieldPath(names)) }
      if node.fields.isEmpty { return add(.assign([:], before: nil)) }
      return compare(node, with: .object([]), rules)
    }
    var rule = rules?.rule
    if rule == nil, case .shaped(_, .set) = node { rule = .set }
    compare(Document.Value(node), with: old.map { Document.Value($0) }, under: rule)
  }

  /// Compares the fields of two lists.
  mutating func compare(
    _ fields: Document.FieldList, with base: Document.FieldList, _ rules: RuleTree?
  ) {
    for (place, (name, value)) in fields.enumerated() {
      let before =
        place < base.count && base[place].key == name
        ? base[place].value : base.first { $0.key == name }?.value
      names.append(name)
      compare(listed: value, with: before, at: rules?.beneath(name))
      names.removeLast()
    }
  }

  /// Compares the values of one field of a list.
  private mutating func compare(
    listed value: Document.Value, with base: Document.Value?, at rules: RuleTree?
  ) {
    let old = base == .null ? nil : base
    switch (value, old) {
    case (.null, nil): break
    case (.null, let before?): add(.assign(.null, before: before))
    case (.object(let fields), .object(let before)?): compare(fields, with: before, rules)
    case (.object(let fields), _):
      if old == nil { made.append(FieldPath(names)) }
      if fields.isEmpty { return add(.assign([:], before: nil)) }
      compare(fields, with: [:], rules)
    case (.array, _) where rules?.rule == nil && isSet(FieldPath(names)):
      compare(value, with: old, under: .set)
    default: compare(value, with: old, under: rules?.rule)
    }
  }

  /// Compares two objects whose names are not fixed.
  mutating func compare(
    _ fields: [String: Document.Value], with base: [String: Document.Value], _ rules: RuleTree?
  ) {
    let gone = base.keys.filter { fields.index(forKey: $0) == nil }
    for name in (fields.keys + gone).sorted(by: { $0.comes(before: $1) }) {
      names.append(name)
      if let value = fields[name] {
        compare(listed: value, with: base[name], at: rules?.beneath(name))
      } else {
        add(.remove(before: base[name]))
      }
      names.removeLast()
    }
  }

  /// Compares the values of a field that is a whole value, a number or a set.
  private mutating func compare(
    _ value: Document.Value, with before: Document.Value?, under rule: Schema.FieldRule?
  ) {
    guard value != before else { return }
    switch (value, before, rule ?? .lastWriterWins) {
    case (.int(let new), .int(let old)?, .counter):
      addCount(from: old, to: new)
    case (.int(let new), nil, .counter):
      made.append(FieldPath(names))
      addCount(from: 0, to: new)
    case (.array(let new), .array(let old)?, .set):
      addElements(from: old, to: new)
    case (.array(let new), nil, .set) where !new.isEmpty:
      made.append(FieldPath(names))
      addElements(from: [], to: new)
    default:
      add(.assign(value, before: before))
    }
  }

  private mutating func addCount(from old: Int64, to new: Int64) {
    var (difference, overflows) = new.subtractingReportingOverflow(old)
    if overflows {
      // A difference that does not fit into one change takes two.
      let first: Int64 = new > old ? .max : .min
      add(.increment(first))
      difference = Int64(clamping: Int128(new) - Int128(old) - Int128(first))
    }
    add(.increment(difference))
  }

  private mutating func addElements(from old: [Document.Value], to new: [Document.Value]) {
    let (had, has) = (Set(old), Set(new))
    let taken = old.filter { !has.contains($0) }
    let inserted = new.filter { !had.contains($0) }
    if !taken.isEmpty { add(.take(taken)) }
    if !inserted.isEmpty { add(.insert(inserted)) }
  }
}

extension CodableNode {
  /// Whether its parts are fields that are compared one by one.
  fileprivate var isObject: Bool {
    switch self {
    case .object, .shaped(.object, .dictionary): true
    default: false
    }
  }

  /// Whether the other node has the same content; `false` if a quick check can't tell.
  fileprivate func isSame(as other: CodableNode) -> Bool {
    switch (self, other) {
    case (.text(let left), .text(let right)): KeyIdentity.areSame(left, right)
    case (.int(let left), .int(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.null, .null), (.shaped(_, .absent), .shaped(_, .absent)): true
    case (.bytes(let left), .bytes(let right)): left == right
    case (.array(let left), .array(let right)),
      (
        .shaped(.array(let left), .set),
        .shaped(.array(let right), .set)
      ):
      left.count == right.count && left.indices.allSatisfy { left[$0].isSame(as: right[$0]) }
    default: false
    }
  }
}
