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
