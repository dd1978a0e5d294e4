extension Document {
  /// Writes the fields of a model that differ from the record's, and returns the delta.
  ///
  /// The record is created if it does not exist.
  ///
  ///     note.title = "Full moon"
  ///     try notes.write(note, to: "n1", in: "notes", at: stamp)    // writes the title
  ///
  /// ``Editor/write(_:to:in:)`` describes how models become fields. The model is compared
  /// with the record's *current* fields. If changes of others may have arrived since you
  /// read the model, use ``write(_:changedFrom:to:in:at:)``, or this call undoes them.
  ///
  /// - Complexity: Expected O(size of the model).
  /// - Throws: `EncodingError`, with the coding path. Then nothing has changed.
  @discardableResult
  public mutating func write(
    _ model: some Encodable, to record: String, in collection: String,
    at timestamp: HybridTimestamp
  ) throws -> TableDelta<Document> {
    try edit(at: timestamp) { try $0.write(model, to: record, in: collection) }
  }

  /// Writes the fields in which a model differs from the version that was read, and
  /// returns the delta.
  ///
  /// The record is created if it does not exist. Fields that you don't change keep the
  /// changes of others that have arrived since:
  ///
  ///     let asRead = try notes.read(Note.self, "n1", in: "notes")
  ///     var note = asRead
  ///     // … while a form is open, others' changes are merged …
  ///     try notes.write(note, changedFrom: asRead, to: "n1", in: "notes", at: stamp)
  ///
  /// - Complexity: Expected O(size of the models).
  /// - Throws: `EncodingError`, with the coding path. Then nothing has changed.
  @discardableResult
  public mutating func write<Model: Encodable>(
    _ model: Model, changedFrom base: Model?, to record: String, in collection: String,
    at timestamp: HybridTimestamp
  ) throws -> TableDelta<Document> {
    try edit(at: timestamp) {
      try $0.write(model, changedFrom: base, to: record, in: collection)
    }
  }

  /// The paths of the fields in which a model differs from a record, which a write would
  /// change.
  ///
  /// - Complexity: As ``write(_:to:in:at:)``.
  /// - Throws: `EncodingError`, with the coding path.
  package func dirtyFields(
    of model: some Encodable, comparedTo record: String, in collection: String
  ) throws -> [FieldPath] {
    // Build the index here, where it is kept, and not in the copy.
    _ = contains(record, in: collection)
    var copy = self
    return try copy.withEditor(at: HybridTimestamp(time: .max, replica: ReplicaID(.max))) {
      try $0.write(model, to: record, in: collection)
    }
  }

  /// Reads a record as a model; returns `nil` if the record is absent.
  ///
  /// Fields that the model's type doesn't know are ignored. Fields under
  /// ``Schema/FieldRule/merged`` have the merge of all concurrent states. A
  /// ``FieldRepresentable`` model is created by its own initializer.
  ///
  /// - Complexity: O(rows of the record).
  /// - Throws: `DecodingError`, with the coding path, if the record's fields don't fit
  ///   the type.
  public func read<Model: Decodable>(
    _ type: Model.Type, _ record: String, in collection: String
  ) throws -> Model? {
    if ReadingTraits.of(type).listsFields, let listed = type as? any FieldRepresentable.Type,
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
  /// Whether models may be written and read by lists of fields, which know no merging,
  /// kept names or defaults.
  var allowsLists: Bool { !hasMergedFields && !adaptsModels }

  /// Whether a model's fields differ from the record's in names or defaults.
  private var adaptsModels: Bool { !keptNames.isEmpty || !defaults.isEmpty }

  /// The fields of a model under the names that the record has for them.
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

  /// The fields of a record under the model's names, with the defaults of missing ones.
  func completed(_ node: CodableNode) -> CodableNode {
    guard adaptsModels, case .object(var fields) = node else { return node }
    if !keptNames.isEmpty { fields = named(fields) }
    var completed = CodableNode.object(ofUnsorted: fields)
    for (path, value) in defaults { completed.add(value, at: path.names[...]) }
    return completed
  }

  /// The fields under the names that models have for them now.
  private func named(_ fields: [CodableNode.Field]) -> [CodableNode.Field] {
    let names = Dictionary(keptNames.map { ($0.value, $0.key) }) { first, _ in first }
    let present = Set(fields.map(\.key))
    let left = fields.filter { field in
      // The new name counts only if there is no field under the old one.
      guard names[field.key] == nil, let kept = keptNames[field.key] else { return true }
      return !present.contains(kept)
    }
    return left.map { CodableNode.Field(key: names[$0.key] ?? $0.key, node: $0.node) }
  }
}

extension CodableNode {
  /// Adds a value at a path, if the objects around it exist and the value does not.
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
        fields.append(Field(key: name, node: value.node))
      }
      self = .object(ofUnsorted: fields)
    default: break
    }
  }
}

extension [String: Document.Value] {
  /// Decodes a field that must be there.
  ///
  /// - Throws: `DecodingError`, with the field's name, if the field is absent or is no
  ///   value of the type.
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

  /// Decodes a field; returns `nil` if it is absent or null.
  ///
  /// - Throws: `DecodingError`, with the field's name, if it is no value of the type.
  public func readIfPresent<Field: Decodable>(
    _ name: String, as type: Field.Type = Field.self
  ) throws -> Field? {
    guard let value = self[name], value != .null else { return nil }
    return try value.decoded(as: type, name: name)
  }
}

extension Document.Value {
  fileprivate func decoded<Model: Decodable>(as type: Model.Type, name: String) throws -> Model {
    // Comparing types is much faster than casting; equal values then have the same type.
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
