public import CRDTKit

/// How a model's records are merged, and which of its fields are indexed or should be
/// unique.
///
///     static let rules = Rules(
///       [CodingKeys.body: .manual, .likes: .counter], unique: [.email], indexed: [.status],
///       defaults: [.priority: 3], renamed: [.details: "note"])
///
/// You name fields by the model's `CodingKeys`, so the compiler checks them.
///
/// In a field without a rule, the last writer wins. A `Set` without a rule is merged by its
/// elements, as under `Schema.FieldRule.set`.
public struct Rules: Hashable, Sendable {
  /// The rules of fields and of deletions, as in the document's schema.
  public var collection: Schema.Collection
  /// Fields of which no two records should have the same value.
  ///
  /// Replicas that can't reach each other can't enforce this. ``Store/violations(in:)``
  /// finds the duplicates.
  public var unique: [String]
  /// Fields by whose values you look up records.
  public var indexed: [String]

  /// Creates the default rules.
  public init() {
    collection = Schema.Collection()
    unique = []
    indexed = []
  }

  /// Creates rules for fields named by their coding keys.
  ///
  /// - Parameters:
  ///   - fields: The rules of fields. In others the last writer wins, except that a `Set`
  ///     is merged by its elements.
  ///   - deletion: Who wins if a record is deleted and changed concurrently.
  ///   - unique: See ``unique``.
  ///   - indexed: See ``indexed``.
  ///   - defaults: The values of fields that a record lacks, for example because an older
  ///     version of the app has written it. Reading a default writes nothing.
  ///   - renamed: The names that fields had in older versions of the app. The fields keep
  ///     these names in records and at a server, so that all versions see each other's
  ///     changes. Values that were written only under the new name are read too.
  /// - Precondition: No two fields have had the same name.
  public init<Key: CodingKey & Hashable>(
    _ fields: [Key: Schema.FieldRule] = [:], deletion: Schema.DeletionRule = .updateWins,
    unique: [Key] = [], indexed: [Key] = [], defaults: [Key: Document.Value] = [:],
    renamed: [Key: String] = [:]
  ) {
    precondition(Set(renamed.values).count == renamed.count, "two fields had the same name")
    var collection = Schema.Collection(deletion: deletion)
    collection.keptNames = Dictionary(
      renamed.map { ($0.key.stringValue, $0.value) }, uniquingKeysWith: { $1 })
    collection.defaults = Dictionary(
      defaults.map { (FieldPath([$0.key.stringValue]), $0.value) }, uniquingKeysWith: { $1 })
    collection.fields = Dictionary(
      fields.map { (collection.kept([$0.key.stringValue]), $0.value) }, uniquingKeysWith: { $1 })
    self.collection = collection
    self.unique = unique.map(\.stringValue)
    self.indexed = indexed.map(\.stringValue)
  }

  /// These rules with rules for nested fields added:
  /// `rules.with(["lines.*.quantity": .max])`.
  public func with(_ fields: [FieldPath: Schema.FieldRule]) -> Rules {
    var rules = self
    for (path, rule) in fields { rules.collection.fields[collection.kept(path)] = rule }
    return rules
  }

  /// These rules with defaults for nested fields that a record lacks:
  /// `rules.with(defaults: ["lines.*.discount": 0])`.
  ///
  /// The name `*` stands for every name in an object and every element of an array.
  public func with(defaults: [FieldPath: Document.Value]) -> Rules {
    var rules = self
    rules.collection.defaults.merge(defaults) { $1 }
    return rules
  }
}

extension Schema.Collection {
  /// The path under which a model's field is kept.
  func kept(_ path: FieldPath) -> FieldPath {
    guard let name = path.names.first, let kept = keptNames[name] else { return path }
    return FieldPath([kept] + path.names.dropFirst())
  }
}

extension Schema {
  /// Creates the schema of some models.
  public init(_ models: [any Replicated.Type]) {
    self.init(
      collections: Dictionary(
        models.map { ($0.collection, $0.rules.collection) }, uniquingKeysWith: { $1 }))
  }
}
