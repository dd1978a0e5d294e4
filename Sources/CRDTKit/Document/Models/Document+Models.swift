extension Document {
  /// Writes the fields of a model that differ from the record's, and gives the
  /// delta; creates the record if there is none.
  ///
  ///     note.title = "Full moon"
  ///     try notes.write(note, to: "n1", in: "notes", at: stamp)    // writes the title
  ///
  /// How models become fields is said at ``Editor/write(_:to:in:)``. The model is
  /// compared with what the record holds *now*: where others' changes may have come
  /// in since it was read, use ``write(_:changedFrom:to:in:at:)``, or they are
  /// undone.
  ///
  /// - Complexity: Expected O(size of the model).
  /// - Throws: `EncodingError`, with the coding path; nothing has changed then.
  @discardableResult
  public mutating func write(
    _ model: some Encodable, to record: String, in collection: String,
    at timestamp: HybridTimestamp
  ) throws -> TableDelta<Document> {
    try edit(at: timestamp) { try $0.write(model, to: record, in: collection) }
  }

  /// Writes the fields in which a model differs from what was read before, and
  /// gives the delta; creates the record if there is none.
  ///
  /// What has come in since then, in fields that the model doesn't change, stays:
  ///
  ///     let asRead = try notes.read(Note.self, "n1", in: "notes")
  ///     var note = asRead
  ///     // … while a form is open, others' changes are merged …
  ///     try notes.write(note, changedFrom: asRead, to: "n1", in: "notes", at: stamp)
  ///
  /// - Complexity: Expected O(size of the models).
  /// - Throws: `EncodingError`, with the coding path; nothing has changed then.
  @discardableResult
  public mutating func write<Model: Encodable>(
    _ model: Model, changedFrom base: Model?, to record: String, in collection: String,
    at timestamp: HybridTimestamp
  ) throws -> TableDelta<Document> {
    try edit(at: timestamp) {
      try $0.write(model, changedFrom: base, to: record, in: collection)
    }
  }

  /// The paths of the fields in which a model differs from a record: those that
  /// writing it would change.
  ///
  /// - Complexity: As ``write(_:to:in:at:)``.
  /// - Throws: `EncodingError`, with the coding path.
  public func dirtyFields(
    of model: some Encodable, comparedTo record: String, in collection: String
  ) throws -> [FieldPath] {
    // The index is made here, where it is kept, and not in the copy.
    _ = contains(record, in: collection)
    var copy = self
    return try copy.withEditor(at: HybridTimestamp(time: .max, replica: ReplicaID(.max))) {
      try $0.write(model, to: record, in: collection)
    }
  }

  /// The record as a model; `nil` where there is none.
  ///
  /// Fields that the model's type doesn't know are passed over.
  ///
  /// Fields under ``FieldRule/merged`` have all that was written concurrently. A model
  /// that is ``FieldRepresentable`` is made from the fields by itself.
  ///
  /// - Complexity: O(rows of the record).
  /// - Throws: `DecodingError`, with the coding path, where the record's fields
  ///   are not what the type asks for.
  public func read<Model: Decodable>(
    _ type: Model.Type, _ record: String, in collection: String
  ) throws -> Model? {
    if let listed = type as? any FieldRepresentable.Type,
      schema.collections[collection]?.allowsLists != false
    {
      guard let fields = fields(of: record, in: collection) else { return nil }
      return try listed.init(fields: fields) as? Model
    }
    guard var node = node(of: record, in: collection) else { return nil }
    if let rules = schema.collections[collection] { node = rules.completed(node) }
    return try NodeDecoder(node, depth: 0).value(type, of: node, deeper: 0)
  }
}

extension Schema.Collection {
  /// Whether models may be written and read by lists of their fields, which know nothing of
  /// merging, other names and defaults.
  var allowsLists: Bool { !hasMergedFields && !adaptsModels }

  /// Whether models differ from what is kept.
  private var adaptsModels: Bool { !keptNames.isEmpty || !defaults.isEmpty }

  /// The fields of a model by the names under which they are kept.
  func kept(_ node: CodableNode) -> CodableNode {
    guard !keptNames.isEmpty else { return node }
    switch node {
    case .object(let fields): return .object(kept(fields))
    case .shaped(.object(let fields), let shape): return .shaped(.object(kept(fields)), shape)
    default: return node
    }
  }

  private func kept(_ fields: [CodableNode.Field]) -> [CodableNode.Field] {
    fields.map { CodableNode.Field(key: keptNames[$0.key] ?? $0.key, node: $0.node) }
  }

  /// What a model is read from: the fields of a record by the names that the model has for
  /// them, and what it lacks.
  func completed(_ node: CodableNode) -> CodableNode {
    guard adaptsModels, case .object(var fields) = node else { return node }
    if !keptNames.isEmpty { fields = named(fields) }
    var completed = CodableNode.object(fields)
    for (path, value) in defaults { completed.add(value, at: path.names[...]) }
    return completed
  }

  /// The fields by the names that models have for them now.
  private func named(_ fields: [CodableNode.Field]) -> [CodableNode.Field] {
    let names = Dictionary(keptNames.map { ($0.value, $0.key) }) { first, _ in first }
    let present = Set(fields.map(\.key))
    let left = fields.filter { field in
      // What is kept under the new name counts where there is nothing under the old one.
      guard names[field.key] == nil, let kept = keptNames[field.key] else { return true }
      return !present.contains(kept)
    }
    return left.map { CodableNode.Field(key: names[$0.key] ?? $0.key, node: $0.node) }
      .sorted { $0.key.comes(before: $1.key) }
  }
}

extension CodableNode {
  /// Adds a value at a path, if what it leads through is there and it isn't.
  fileprivate mutating func add(_ value: Document.Value, at names: ArraySlice<String>) {
    guard let name = names.first else { return }
    let rest = names.dropFirst()
    switch self {
    case .array(var elements) where name == "*":
      for place in elements.indices { elements[place].add(value, at: rest) }
      self = .array(elements)
    case .object(var fields):
      if name == "*" {
        for place in fields.indices { fields[place].node.add(value, at: rest) }
      } else if let place = fields.firstIndex(where: { $0.key == name }) {
        if rest.isEmpty { return }
        fields[place].node.add(value, at: rest)
      } else if rest.isEmpty {
        // Fields stand in the order of their names.
        let place = fields.firstIndex { name.comes(before: $0.key) } ?? fields.endIndex
        fields.insert(Field(key: name, node: value.node), at: place)
      }
      self = .object(fields)
    default: break
    }
  }
}

extension [String: Document.Value] {
  /// The value of a field that must be there.
  ///
  /// - Throws: `DecodingError`, with the field's name, where it is not or is no value of
  ///   the type.
  public func read<Field: Decodable>(
    _ name: String, as type: Field.Type = Field.self
  ) throws -> Field {
    guard let value = self[name] else {
      throw DecodingError.keyNotFound(
        EntryKey(stringValue: name),
        DecodingError.Context(codingPath: [], debugDescription: "There is no \(name)."))
    }
    return try value.decoded(as: type, name: name)
  }

  /// The value of a field; `nil` where it is absent or null.
  ///
  /// - Throws: `DecodingError`, with the field's name, where it is no value of the type.
  public func readIfPresent<Field: Decodable>(
    _ name: String, as type: Field.Type = Field.self
  ) throws -> Field? {
    guard let value = self[name], value != .null else { return nil }
    return try value.decoded(as: type, name: name)
  }
}

extension Document.Value {
  fileprivate func decoded<Model: Decodable>(as type: Model.Type, name: String) throws -> Model {
    // Comparing types is much faster than casting; what is equal is then the same.
    switch self {
    case .string(let value) where type == String.self:
      return unsafeBitCast(value, to: Model.self)
    case .int(let value) where type == Int64.self:
      return unsafeBitCast(value, to: Model.self)
    case .int(let value) where type == Int.self:
      if let value = Int(exactly: value) { return unsafeBitCast(value, to: Model.self) }
    case .double(let value) where type == Double.self:
      return unsafeBitCast(value, to: Model.self)
    case .bool(let value) where type == Bool.self:
      return unsafeBitCast(value, to: Model.self)
    default: break
    }
    let decoder = NodeDecoder(.null, depth: 0)
    return try decoder.value(type, of: node, key: EntryKey(stringValue: name))
  }
}
