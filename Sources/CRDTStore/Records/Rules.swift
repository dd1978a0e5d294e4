public import CRDTKit

/// How the records of a model are merged, and which of its fields are looked up or
/// should be unique.
///
///     static let rules = Rules(
///       [CodingKeys.body: .manual, .tags: .set, .likes: .counter],
///       unique: [.email], indexed: [.status])
///
/// Fields are named by the model's `CodingKeys`, so that the compiler knows them.
public struct Rules: Hashable, Sendable {
  /// The rules of fields, and of deletions, as the document's schema has them.
  public var collection: Schema.Collection
  /// Fields of which no two records should have the same value.
  ///
  /// Replicas that can't ask each other can't keep to it: what they make of it is
  /// found by ``Store/violations(in:)``.
  public var unique: [String]
  /// Fields by whose values records are looked up.
  public var indexed: [String]

  /// The rules under which the last writer of each field wins.
  public init() {
    collection = Schema.Collection()
    unique = []
    indexed = []
  }

  /// Creates rules for fields named by their coding keys.
  ///
  /// - Parameters:
  ///   - fields: The rules of fields; others have `FieldRule.lastWriterWins`.
  ///   - deletion: Who wins where a record is deleted and changed concurrently.
  ///   - unique: See ``unique``.
  ///   - indexed: See ``indexed``.
  public init<Key: CodingKey & Hashable>(
    _ fields: [Key: FieldRule] = [:], deletion: DeletionRule = .updateWins,
    unique: [Key] = [], indexed: [Key] = []
  ) {
    collection = Schema.Collection(
      fields: Dictionary(
        fields.map { (FieldPath([$0.key.stringValue]), $0.value) }, uniquingKeysWith: { $1 }),
      deletion: deletion)
    self.unique = unique.map(\.stringValue)
    self.indexed = indexed.map(\.stringValue)
  }

  /// The same rules, and those of fields within others:
  /// `rules.with(["lines.*.quantity": .max])`.
  public func with(_ fields: [FieldPath: FieldRule]) -> Rules {
    var rules = self
    rules.collection.fields.merge(fields) { $1 }
    return rules
  }
}

extension Schema {
  /// The schema that some models make up.
  public init(_ models: [any Replicated.Type]) {
    self.init(
      collections: Dictionary(
        models.map { ($0.collection, $0.rules.collection) }, uniquingKeysWith: { $1 }))
  }
}
