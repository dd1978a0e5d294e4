extension Document.Editor {
  /// The value of a field as it is after the changes so far; `nil` where the field, or
  /// the record, is absent.
  ///
  /// - Complexity: As ``Document/value(of:of:in:)``.
  public mutating func value(
    of path: FieldPath, of record: String, in collection: String
  ) -> Document.Value? {
    withDocument { $0.value(of: path, of: record, in: collection) }
  }

  /// The fields of a record as they are after the changes so far; `nil` where there is
  /// no record.
  ///
  /// - Complexity: O(rows of the record).
  public mutating func fields(
    of record: String, in collection: String
  ) -> [String: Document.Value]? {
    withDocument { $0.fields(of: record, in: collection) }
  }

  /// The names of a collection's records after the changes so far, in the order of
  /// their bytes.
  ///
  /// - Complexity: As ``Document/records(in:)``.
  public mutating func records(in collection: String) -> [String] {
    withDocument { $0.records(in: collection) }
  }

  /// A record as a model, after the changes so far; `nil` where there is no record.
  ///
  /// - Throws: What ``Document/read(_:_:in:)`` throws.
  /// - Complexity: O(rows of the record).
  public mutating func read<Model: Decodable>(
    _ type: Model.Type, _ record: String, in collection: String
  ) throws -> Model? {
    try withDocument { try $0.read(type, record, in: collection) }
  }

  /// Reads the table as a document that alone holds it meanwhile, so that the next
  /// change copies nothing.
  private mutating func withDocument<Result>(
    _ read: (Document) throws -> Result
  ) rethrows -> Result {
    var document = Document(schema: schema)
    swap(&document.table, &table)
    defer { swap(&document.table, &table) }
    return try read(document)
  }
}
