/// The rules of a document's collections: data that you can load from JSON.
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
///                  "status": {"preferring": ["0000000000000001"]},
///                  "lines.*.quantity": "max"}}}}
///
/// A collection may also have `defaults`, by path, and `keptNames`: see
/// ``Collection/defaults`` and ``Collection/keptNames``.
///
/// The default for fields is ``Schema/FieldRule/lastWriterWins``, and for collections
/// ``Schema/DeletionRule/updateWins``. A field without a rule that holds a set is read as under
/// ``Schema/FieldRule/set``, so that no element is lost. A model with a `Set` and
/// ``Document/Editor/insert(_:into:of:in:)`` both write such sets.
public struct Schema: Hashable, Sendable {
  /// The rules of the collections, by name.
  public var collections: [String: Collection]

  /// Creates a schema; without arguments, everything has its default.
  public init(collections: [String: Collection] = [:]) {
    self.collections = collections
  }
}

extension Schema {
  /// The rules of one collection.
  public struct Collection: Hashable, Sendable {
    /// Decides between a deletion of a record and a concurrent change.
    public var deletion: Schema.DeletionRule

    /// The rules of fields, by path.
    ///
    /// A `*` in a path stands for any name: `lines.*.quantity` is the quantity in every
    /// entry of a dictionary. A field without a rule for its own path has the rule of a
    /// matching path with `*`. If several match, they are compared from left to right: a
    /// path with the field's own name precedes one with `*`.
    public var fields: [FieldPath: Schema.FieldRule] {
      didSet {
        rules = RuleTree(fields)
        hasMergedFields = fields.values.contains(.merged)
      }
    }

    /// The values that models read for fields that a record lacks.
    ///
    /// Older versions of an app write records without the fields of newer ones. A default
    /// is never written. A path leads into objects that exist; a `*` in it stands for
    /// every name in an object and every element of an array.
    public var defaults: [FieldPath: Document.Value] = [:]

    /// The names of fields in records, by their current names in models.
    ///
    /// If you rename a field in the app, keep its old name in records, so that older and
    /// newer versions of the app see each other's changes. The field's new name in a
    /// record is read only if the record has nothing under the old name. Rules, servers,
    /// and the paths of conflicts and changes use the kept name.
    public var keptNames: [String: String] = [:]

    /// The rules in a form for fast lookup.
    private(set) var rules: RuleTree?

    /// Whether models may have to be merged when they are read.
    private(set) var hasMergedFields: Bool

    /// Creates the rules of a collection.
    ///
    /// A path of more than 32 names leads to no field, so its rule is never used.
    public init(
      fields: [FieldPath: Schema.FieldRule] = [:], deletion: Schema.DeletionRule = .updateWins
    ) {
      self.fields = fields
      self.deletion = deletion
      rules = RuleTree(fields)
      hasMergedFields = fields.values.contains(.merged)
    }

    /// Whether two collections have the same rules.
    public static func == (left: Self, right: Self) -> Bool {
      left.deletion == right.deletion && left.fields == right.fields
        && left.defaults == right.defaults && left.keptNames == right.keptNames
    }

    /// Hashes the rules.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(deletion)
      hasher.combine(fields)
      hasher.combine(defaults)
      hasher.combine(keptNames)
    }

    /// The rule of a field.
    ///
    /// - Complexity: O(length of the path).
    public func rule(of path: FieldPath) -> Schema.FieldRule {
      givenRule(of: path) ?? .lastWriterWins
    }

    /// The rule given for a field, by its own path or by a matching one.
    package func givenRule(of path: FieldPath) -> Schema.FieldRule? {
      var tree = rules
      for name in path.names { tree = tree?.beneath(name) }
      return tree?.rule
    }
  }
}

/// A schema's canonical form follows from its `Codable` form.
extension Schema: CanonicalCodable {}

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey {
    case collections
  }
}

extension Schema.Collection: Codable {
  private enum CodingKeys: String, CodingKey {
    case deletion, fields, defaults, keptNames
  }

  /// Decodes rules; an omitted member has its default, and an unknown member is an error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    for key in try decoder.container(keyedBy: EntryKey.self).allKeys
    where CodingKeys(stringValue: key.stringValue) == nil {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath + [key],
          debugDescription: "A collection has 'deletion', 'fields', 'defaults' and "
            + "'keptNames', not '\(key.stringValue)'."))
    }
    let deletion = try container.decodeIfPresent(Schema.DeletionRule.self, forKey: .deletion)
    self.init(
      fields: try Self.paths(.fields, in: container), deletion: deletion ?? .updateWins)
    defaults = try Self.paths(.defaults, in: container)
    keptNames = try container.decodeIfPresent([String: String].self, forKey: .keptNames) ?? [:]
  }

  /// Decodes an object whose members are named by paths.
  private static func paths<Content: Decodable>(
    _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [FieldPath: Content] {
    var paths: [FieldPath: Content] = [:]
    for (text, content) in try container.decodeIfPresent([String: Content].self, forKey: key) ?? [:]
    {
      guard (1...Document.Value.maximumDepth).contains(FieldPath(parsing: text).names.count) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "A path has no name, or more than \(Document.Value.maximumDepth).")
      }
      guard paths.updateValue(content, forKey: FieldPath(parsing: text)) == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "The path '\(text)' is there in two spellings.")
      }
    }
    return paths
  }

  /// Encodes the rules, with the paths in their text form.
  ///
  /// The empty path, which stands for the record itself and has no rule, is omitted. So
  /// are empty defaults and kept names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(deletion, forKey: .deletion)
    try container.encode(Self.named(fields), forKey: .fields)
    if !defaults.isEmpty { try container.encode(Self.named(defaults), forKey: .defaults) }
    if !keptNames.isEmpty { try container.encode(keptNames, forKey: .keptNames) }
  }

  private static func named<Content>(_ paths: [FieldPath: Content]) -> [String: Content] {
    let named = paths.lazy.filter { !$0.key.names.isEmpty }.map { ($0.key.description, $0.value) }
    return Dictionary(uniqueKeysWithValues: named)
  }
}

extension Schema {
  /// Decides between a deletion of a record and a concurrent change.
  ///
  /// A change that the deletion had seen never brings the record back, nor does a change
  /// that only removes something. You can restore a deleted record until it is purged.
  @nonexhaustive
  public enum DeletionRule: String, Hashable, Sendable, Codable {
    /// A change that the deletion had not seen keeps the record.
    case updateWins
    /// The deletion wins.
    case deleteWins
    /// The later of the two wins, by its stamp.
    case lastWriterWins
  }
}
