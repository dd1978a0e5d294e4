/// The rules of a document's collections: data, not code, and loadable from JSON.
///
///     let schema = Schema(collections: [
///       "notes": Schema.Collection(fields: ["body": .manual, "tags": .set, "likes": .counter])
///     ])
///
/// As JSON:
///
///     {"collections": {"notes": {
///       "deletion": "updateWins",
///       "fields": {"body": "manual", "tags": "set", "likes": "counter",
///                  "status": {"authority": ["0000000000000001"]},
///                  "lines.*.quantity": "max"}}}}
///
/// What isn't mentioned has the default: ``FieldRule/lastWriterWins`` for fields,
/// ``DeletionRule/updateWins`` for collections.
public struct Schema: Hashable, Sendable {
  /// The rules of the collections, by name.
  public var collections: [String: Collection]

  /// Creates a schema; without arguments, one that has the defaults for all.
  public init(collections: [String: Collection] = [:]) {
    self.collections = collections
  }
}

extension Schema {
  /// The rules of one collection.
  public struct Collection: Hashable, Sendable {
    /// Who wins where a record is deleted and changed concurrently.
    public var deletion: DeletionRule

    /// The rules of fields by their paths.
    ///
    /// A name `*` in a path stands for any name: `lines.*.quantity` is the
    /// quantity in every entry of a dictionary. A field whose own path has no
    /// rule has that of the path with a `*` that fits; of several, of the one that
    /// has the field's own name where another first has `*`, from left to right.
    public var fields: [FieldPath: FieldRule] {
      didSet {
        rules = RuleTree(fields)
        hasMergedFields = fields.values.contains(.merged)
      }
    }

    /// The rules in the form in which they are looked up.
    private(set) var rules: RuleTree?

    /// Whether a model that is read may have to be merged.
    private(set) var hasMergedFields: Bool

    /// Creates the rules of a collection.
    ///
    /// A path of more than 32 names leads to no field, and its rule is never asked for.
    public init(
      fields: [FieldPath: FieldRule] = [:], deletion: DeletionRule = .updateWins
    ) {
      self.fields = fields
      self.deletion = deletion
      rules = RuleTree(fields)
      hasMergedFields = fields.values.contains(.merged)
    }

    /// Whether two collections have the same rules.
    public static func == (left: Self, right: Self) -> Bool {
      left.deletion == right.deletion && left.fields == right.fields
    }

    /// Takes in the rules.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(deletion)
      hasher.combine(fields)
    }

    /// The rule of a field.
    ///
    /// - Complexity: O(length of the path).
    public func rule(of path: FieldPath) -> FieldRule {
      var tree = rules
      for name in path.names { tree = tree?.beneath(name) }
      return tree?.rule ?? .lastWriterWins
    }
  }
}

/// Schemas are written as their `Codable` form says.
extension Schema: CanonicalCodable {}

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey {
    case collections
  }
}

extension Schema.Collection: Codable {
  private enum CodingKeys: String, CodingKey {
    case deletion, fields
  }

  /// Decodes rules; what is left out has its default, and what isn't known is an
  /// error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    for key in try decoder.container(keyedBy: EntryKey.self).allKeys
    where CodingKeys(stringValue: key.stringValue) == nil {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath + [key],
          debugDescription: "A collection has 'deletion' and 'fields', not '\(key.stringValue)'."))
    }
    let deletion = try container.decodeIfPresent(DeletionRule.self, forKey: .deletion)
    let named = try container.decodeIfPresent([String: FieldRule].self, forKey: .fields) ?? [:]
    var fields: [FieldPath: FieldRule] = [:]
    for (text, rule) in named {
      guard FieldPath(text).names.count <= Document.Value.depthMax else {
        throw DecodingError.dataCorruptedError(
          forKey: .fields, in: container,
          debugDescription: "A path has more than \(Document.Value.depthMax) names.")
      }
      guard fields.updateValue(rule, forKey: FieldPath(text)) == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: .fields, in: container,
          debugDescription: "The path '\(text)' is there in two spellings.")
      }
    }
    self.init(fields: fields, deletion: deletion ?? .updateWins)
  }

  /// Encodes the rules, with the paths in their text form; the record itself, which
  /// has no rule, is left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(deletion, forKey: .deletion)
    let named = fields.lazy.filter { !$0.key.names.isEmpty }.map { ($0.key.description, $0.value) }
    try container.encode(Dictionary(uniqueKeysWithValues: named), forKey: .fields)
  }
}
