public import CRDTKit

/// How each field of each collection is merged: for an app's documentation.
///
///     print(ConflictMatrix(Note.self, Errand.self))
public struct ConflictMatrix: Sendable {
  /// How one field is merged.
  public struct Row: Hashable, Sendable {
    /// The collection.
    public var collection: String
    /// The field; `nil` for all fields without a rule of their own.
    public var field: FieldPath?
    /// Its rule.
    public var rule: Schema.FieldRule
    /// How the records are exchanged with a server.
    public var serverAccess: ServerAccess
    /// Who wins if a record is deleted and changed concurrently.
    public var deletion: Schema.DeletionRule
  }

  /// One row for each field that has a rule, by collection and field.
  public let rows: [Row]

  /// Creates the matrix of some models.
  public init(_ models: any Replicated.Type...) {
    rows = models.sorted { $0.collection < $1.collection }.flatMap { Self.rows(of: $0) }
  }

  private static func rows(of model: any Replicated.Type) -> [Row] {
    let collection = model.rules.collection
    let row = { (field: FieldPath?, rule: Schema.FieldRule) in
      Row(
        collection: model.collection, field: field, rule: rule,
        serverAccess: model.serverAccess, deletion: collection.deletion)
    }
    let fields = collection.fields.sorted { $0.key < $1.key }.map { row($0.key, $0.value) }
    return fields + [row(nil, .lastWriterWins)]
  }
}

extension ConflictMatrix: CustomStringConvertible {
  /// The matrix as a table in Markdown.
  public var description: String {
    let head =
      "| collection | field | rule | server | deleted and changed |\n|---|---|---|---|---|\n"
    return head
      + rows.map { row in
        let field = row.field.map { "\($0)" } ?? "others"
        return
          "| \(row.collection) | \(field) | \(row.rule) | \(row.serverAccess) | \(row.deletion) |\n"
      }.joined()
  }
}
