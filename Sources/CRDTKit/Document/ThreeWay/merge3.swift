/// Merges two changed copies of a value with their common base.
///
/// Use this if you have the three values but no history, such as the versions of a file
/// in git. A ``Document`` does not need it. ``ThreeWayMerge`` describes the merge.
///
///     let merge = merge3(
///       base: ["name": "Moon", "likes": 3],
///       ours: ["name": "Moon", "likes": 5],
///       theirs: ["name": "Luna", "likes": 4],
///       rules: Schema.Collection(fields: ["likes": .counter]))
///     merge.value                             // ["likes": 6, "name": "Luna"]
///     merge.conflicts                         // []
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
/// - Returns: The merged value, and the conflicts that the rules could not resolve.
/// - Complexity: Expected O(size of the values), plus sorting the names of objects.
public func merge3(
  base: Document.Value?, ours: Document.Value?, theirs: Document.Value?,
  rules: Schema.Collection = Schema.Collection(), deletion: Schema.DeletionRule? = nil,
  stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)? = nil
) -> ThreeWayMerge {
  var merger = ThreeWayMerger(deletion: deletion, stamps: stamps)
  let value = merger.merge(ThreeWayVersions(base: base, ours: ours, theirs: theirs), rules.rules)
  return ThreeWayMerge(value: value, conflicts: merger.conflicts)
}

/// Merges two changed copies of a model with their common base.
///
/// Its fields are merged like those of records. Structs and dictionaries with names are
/// merged field by field, and a `Set` by its elements unless a rule says otherwise.
/// Arrays, enums and each ``WholeValue`` are one value.
///
///     let merge = try merge3(base: note, ours: mine, theirs: yours, rules: rules)
///     merge.model?.title
///
/// - Parameters:
///   - base: The common base; `nil` if there was no model.
///   - ours: Our copy; `nil` if it was removed.
///   - theirs: Their copy; `nil` if it was removed.
///   - rules: The rules of fields.
///   - deletion: Decides between one side's removal and the other's change; if `nil`,
///     that is a conflict.
///   - stamps: The writer and time of each side, for the rules that need them.
/// - Returns: The merged model, and the conflicts that the rules could not resolve. In a
///   conflict the model has our value.
/// - Complexity: Expected O(size of the models).
/// - Throws: `EncodingError` if a model can't be encoded. `DecodingError` if the result
///   is not a valid model, because the type requires its fields to fit one another.
@_disfavoredOverload  // Literals are values, not models.
public func merge3<Model: Codable>(
  base: Model?, ours: Model?, theirs: Model?,
  rules: Schema.Collection = Schema.Collection(), deletion: Schema.DeletionRule? = nil,
  stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)? = nil
) throws -> (model: Model?, conflicts: [ThreeWayMerge.Conflict]) {
  var wholes: Set<FieldPath> = []
  var sets: Set<FieldPath> = []
  func value(of model: Model?) throws -> Document.Value? {
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
  let merged = merger.merge(versions, rules.rules)
  let model = try merged.map { value in
    try NodeDecoder(value.node, depth: 0).value(Model.self, of: value.node, deeper: 0)
  }
  return (model, merger.conflicts)
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
    default: break
    }
  }
}
