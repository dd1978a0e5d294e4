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
/// A collection may also have `defaults`, by path, and `keptNames`: see
/// ``Collection/defaults`` and ``Collection/keptNames``.
///
/// What isn't mentioned has the default: ``FieldRule/lastWriterWins`` for fields,
/// ``DeletionRule/updateWins`` for collections. A field without a rule that holds a set,
/// as a model with a `Set` writes it or ``Document/Editor/insert(_:into:of:in:)`` makes it,
/// is read as under ``FieldRule/set``, so that no element is lost.
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

    /// What models read in fields that a record lacks, as those that older versions of the
    /// app have written lack new ones.
    ///
    /// Nothing is written by that. A path leads into objects that are there; a name `*` in it
    /// stands for every name in an object, and for every element of an array.
    public var defaults: [FieldPath: Document.Value] = [:]

    /// The names by which fields of models are kept in records, by the names that the
    /// models have for them now.
    ///
    /// A field that got another name in the app is kept under its old one, so that older
    /// and newer versions of the app see each other's changes; only where a record has
    /// nothing by that name is the new one read. Rules, paths of conflicts and changes, and
    /// servers have the name that is kept.
    public var keptNames: [String: String] = [:]

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
        && left.defaults == right.defaults && left.keptNames == right.keptNames
    }

    /// Takes in the rules.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(deletion)
      hasher.combine(fields)
      hasher.combine(defaults)
      hasher.combine(keptNames)
    }

    /// The rule of a field.
    ///
    /// - Complexity: O(length of the path).
    public func rule(of path: FieldPath) -> FieldRule {
      givenRule(of: path) ?? .lastWriterWins
    }

    /// The rule that was given for a field, by itself or by a path that fits.
    package func givenRule(of path: FieldPath) -> FieldRule? {
      var tree = rules
      for name in path.names { tree = tree?.beneath(name) }
      return tree?.rule
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
    case deletion, fields, defaults, keptNames
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
          debugDescription: "A collection has 'deletion', 'fields', 'defaults' and "
            + "'keptNames', not '\(key.stringValue)'."))
    }
    let deletion = try container.decodeIfPresent(DeletionRule.self, forKey: .deletion)
    self.init(
      fields: try Self.paths(.fields, in: container), deletion: deletion ?? .updateWins)
    defaults = try Self.paths(.defaults, in: container)
    keptNames = try container.decodeIfPresent([String: String].self, forKey: .keptNames) ?? [:]
  }

  /// What an object says of paths.
  private static func paths<Content: Decodable>(
    _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>
  ) throws -> [FieldPath: Content] {
    var paths: [FieldPath: Content] = [:]
    for (text, content) in try container.decodeIfPresent([String: Content].self, forKey: key) ?? [:]
    {
      guard FieldPath(text).names.count <= Document.Value.depthMax else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "A path has more than \(Document.Value.depthMax) names.")
      }
      guard paths.updateValue(content, forKey: FieldPath(text)) == nil else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "The path '\(text)' is there in two spellings.")
      }
    }
    return paths
  }

  /// Encodes the rules, with the paths in their text form; the record itself, which
  /// has no rule, is left out, and so are defaults and names where there are none.
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

/// Who wins where a record is deleted and changed concurrently.
///
/// A change that the deletion had seen never brings the record back, nor does one
/// that only removes something. A deleted record can be restored until it is
/// purged.
public enum DeletionRule: String, Hashable, Sendable, Codable {
  /// A change that the deletion had not seen keeps the record.
  case updateWins
  /// The record is deleted.
  case deleteWins
  /// The later of the two by its stamp decides.
  case lastWriterWins
}
