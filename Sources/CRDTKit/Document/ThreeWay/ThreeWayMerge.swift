/// The merge of two changed copies of a value or model with their common base.
///
/// Use this if you have the three values but no history, such as the versions of a file
/// in git. A ``Document`` does not need it.
///
///     let merge = ThreeWayMerge(
///       base: ["name": "Moon", "likes": 3],
///       ours: ["name": "Moon", "likes": 5],
///       theirs: ["name": "Luna", "likes": 4],
///       rules: Schema.Collection(fields: ["likes": .counter]))
///     merge.value                             // ["likes": 6, "name": "Luna"]
///     merge.conflicts                         // []
///
/// Objects are merged name by name, at every depth. Anything else is one value:
/// - if only one side changed or removed it, that side's change applies;
/// - if both made the same change, it applies;
/// - if both changed it to different values, the field's rule decides.
///
/// In the last case the rules mean:
///
/// | rule | the field holds |
/// |---|---|
/// | `max`, `min` | the greater, or the lesser, of both |
/// | `counter` | the base and both differences; equal differences count twice |
/// | `text` | our text with the edits that lead from the base to theirs |
/// | `list` | an array: our elements in order, without their removals, with their insertions and moves; elements with an equal `id` are merged |
/// | `set` | an array: our elements in order, without their removals, then their additions; each once |
/// | `lastWriterWins`, `firstWriterWins`, `preferring`, `preferringOthers` | the result of ``Schema/FieldRule/winner(among:)``, if stamps were given |
///
/// Everything else is a conflict: `manual` and `merged`, those four without stamps, an
/// overflow, a counter that is not a whole number, a set that is not an array, and an
/// object on one side only. A removal against a change is a conflict too, unless you pass
/// a deletion rule. If the other side only removed something inside, both sides count as
/// having removed it.
///
/// If you exchange ours and theirs, only these change: the sides of the conflicts and the
/// value shown there, the order of the elements of sets and lists, and the spelling of equal
/// texts.
public struct ThreeWayMerge<Content> {
  /// The merged value or model; `nil` if nothing remains.
  ///
  /// In a conflict, it has our value.
  public var value: Content?
  /// The conflicts that the rules could not resolve, in the order of their paths.
  public var conflicts: [Document.ThreeWayConflict]

  /// Whether there are no conflicts.
  public var isClean: Bool { conflicts.isEmpty }
}

extension ThreeWayMerge: Equatable where Content: Equatable {}
extension ThreeWayMerge: Hashable where Content: Hashable {}
extension ThreeWayMerge: Sendable where Content: Sendable {}

extension ThreeWayMerge where Content == Document.Value {
  /// The greatest number of nested objects that are merged name by name.
  ///
  /// A deeper object is one value.
  public static var maximumDepth: Int { 128 }

  /// Merges two changed copies of a value with their common base.
  ///
  /// - Parameters:
  ///   - base: The common base; `nil` if there was no value.
  ///   - ours: Our copy; `nil` if it was removed.
  ///   - theirs: Their copy; `nil` if it was removed.
  ///   - rules: The rules of fields, by their paths from these values.
  ///   - deletion: Decides between one side's removal and the other's change. If it is
  ///     `nil`, that is a conflict. ``Schema/Collection/deletion`` of `rules` is ignored,
  ///     because it always has a value, even if you set none.
  ///   - stamps: The writer and time of each side, for the rules that need them.
  /// - Complexity: Expected O(size of the values), plus sorting the names of objects, and
  ///   O(n log n) for lists of n elements.
  public init(
    base: Document.Value?, ours: Document.Value?, theirs: Document.Value?,
    rules: Schema.Collection = Schema.Collection(), deletion: Schema.DeletionRule? = nil,
    stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)? = nil
  ) {
    var merger = ThreeWayMerger(deletion: deletion, stamps: stamps)
    value = merger.merge(ThreeWayVersions(base: base, ours: ours, theirs: theirs), rules.rules)
    conflicts = merger.conflicts
  }
}

extension ThreeWayMerge where Content: Codable {
  /// Merges two changed copies of a model with their common base.
  ///
  /// Its fields are merged like those of records. Structs and dictionaries with names are
  /// merged field by field, and a `Set` by its elements unless a rule says otherwise.
  /// Arrays without a rule, enums and each ``WholeValue`` are one value.
  ///
  ///     let merge = try ThreeWayMerge(base: note, ours: mine, theirs: yours, rules: rules)
  ///     merge.value?.title
  ///
  /// - Parameters:
  ///   - base: The common base; `nil` if there was no model.
  ///   - ours: Our copy; `nil` if it was removed.
  ///   - theirs: Their copy; `nil` if it was removed.
  ///   - rules: The rules of fields.
  ///   - deletion: Decides between one side's removal and the other's change; if `nil`,
  ///     that is a conflict.
  ///   - stamps: The writer and time of each side, for the rules that need them.
  /// - Complexity: Expected O(size of the models).
  /// - Throws: `EncodingError` if a model can't be encoded. `DecodingError` if the result
  ///   is not a valid model, because the type requires its fields to fit one another.
  @_disfavoredOverload  // Literals are values, not models.
  public init(
    base: Content?, ours: Content?, theirs: Content?,
    rules: Schema.Collection = Schema.Collection(), deletion: Schema.DeletionRule? = nil,
    stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)? = nil
  ) throws {
    var wholes: Set<FieldPath> = []
    var sets: Set<FieldPath> = []
    func value(of model: Content?) throws -> Document.Value? {
      guard let model else { return nil }
      let node = try NodeEncoder.node(of: model, depth: 0, style: .model)
      node.collectShapes(at: [], wholes: &wholes, sets: &sets)
      return Document.Value(node)
    }
    let versions = ThreeWayVersions(
      base: try value(of: base), ours: try value(of: ours), theirs: try value(of: theirs))
    var merger = ThreeWayMerger(deletion: deletion, stamps: stamps, wholes: wholes)
    var rules = rules
    for path in sets where rules.givenRule(of: path) == nil { rules.fields[path] = .set }
    self.value = try merger.merge(versions, rules.rules).map { value in
      try NodeDecoder(value.node, depth: 0).value(Content.self, of: value.node, deeper: 0)
    }
    conflicts = merger.conflicts
  }
}

extension CodableNode {
  /// Adds the paths of objects that are one value, and of sets.
  fileprivate func collectShapes(
    at path: FieldPath, wholes: inout Set<FieldPath>, sets: inout Set<FieldPath>
  ) {
    switch self {
    case .shaped(.object, .whole): wholes.insert(path)
    case .shaped(_, .set): sets.insert(path)
    case .object(let fields), .shaped(.object(let fields), _):
      for field in fields {
        field.node.collectShapes(at: path.appending(field.key), wholes: &wholes, sets: &sets)
      }
    case .array(let elements):
      for element in elements {
        guard let name = Document.Value(element).elementName else { continue }
        element.collectShapes(at: path.appending(name), wholes: &wholes, sets: &sets)
      }
    default: break
    }
  }
}
