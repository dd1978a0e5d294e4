public import CRDTKit

/// How the records of a model are merged, and which of its fields are looked up or
/// should be unique.
///
///     static let rules = Rules(
///       [CodingKeys.body: .manual, .likes: .counter], unique: [.email], indexed: [.status],
///       defaults: [.priority: 3], renamed: [.details: "note"])
///
/// Fields are named by the model's `CodingKeys`, so that the compiler knows them.
///
/// A field that has no rule is the last writer's; a `Set` loses no element, as under
/// `FieldRule.set`.
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

  /// The rules that fields have unless they are given others.
  public init() {
    collection = Schema.Collection()
    unique = []
    indexed = []
  }

  /// Creates rules for fields named by their coding keys.
  ///
  /// - Parameters:
  ///   - fields: The rules of fields; others are the last writer's, but for a `Set`, which
  ///     is merged by its elements.
  ///   - deletion: Who wins where a record is deleted and changed concurrently.
  ///   - unique: See ``unique``.
  ///   - indexed: See ``indexed``.
  ///   - defaults: What is read in a field that a record lacks, as one does that an older
  ///     version of the app has written. Nothing is written by that.
  ///   - renamed: The names that fields had in older versions of the app. They are kept under
  ///     those, in records and at a server, so that all versions see each other's changes;
  ///     what was written under the new name alone is read too.
  /// - Precondition: No two fields have had the same name.
  public init<Key: CodingKey & Hashable>(
    _ fields: [Key: FieldRule] = [:], deletion: DeletionRule = .updateWins,
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

  /// The same rules, and those of fields within others:
  /// `rules.with(["lines.*.quantity": .max])`.
  public func with(_ fields: [FieldPath: FieldRule]) -> Rules {
    var rules = self
    for (path, rule) in fields { rules.collection.fields[collection.kept(path)] = rule }
    return rules
  }

  /// The same rules, and what is read in fields within others that a record lacks:
  /// `rules.with(defaults: ["lines.*.discount": 0])`.
  ///
  /// A name `*` stands for every name in an object and every element of an array.
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
  /// The schema that some models make up.
  public init(_ models: [any Replicated.Type]) {
    self.init(
      collections: Dictionary(
        models.map { ($0.collection, $0.rules.collection) }, uniquingKeysWith: { $1 }))
  }
}
