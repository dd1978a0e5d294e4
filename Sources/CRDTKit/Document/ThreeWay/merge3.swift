/// Merges two changed copies of a value with what both began as.
///
/// For those who have the three values but no history, such as the versions of a
/// file in git; a ``Document`` needs none of this. What ``ThreeWayMerge`` says of
/// merging holds here.
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
///   - base: What both began as; `nil` where there was nothing.
///   - ours: Our copy; `nil` where it was removed.
///   - theirs: Their copy; `nil` where it was removed.
///   - rules: The rules of fields, by their paths from these values.
///   - deletion: Who wins where one side removed what the other changed. Without
///     it that is a conflict, whatever ``Schema/Collection/deletion`` of the rules
///     is: that has a default, which nobody chose.
///   - stamps: When each side was written, and by whom, for the rules that ask.
/// - Returns: The merged value, and what the rules could not decide.
/// - Complexity: Expected O(size of the values), and sorting the names of objects.
public func merge3(
  base: Document.Value?, ours: Document.Value?, theirs: Document.Value?,
  rules: Schema.Collection = Schema.Collection(), deletion: DeletionRule? = nil,
  stamps: (ours: HybridTimestamp, theirs: HybridTimestamp)? = nil
) -> ThreeWayMerge {
  var merger = ThreeWayMerger(deletion: deletion, stamps: stamps)
  let value = merger.merge(ThreeWayVersions(base: base, ours: ours, theirs: theirs), rules.rules)
  return ThreeWayMerge(value: value, conflicts: merger.conflicts)
}

/// Merges two changed copies of a model with what both began as.
///
/// Its fields are merged as those of records are: structs and dictionaries with
/// names field by field, a `Set` by its elements unless a rule says otherwise, arrays,
/// enums and what is a ``WholeValue`` as one value.
///
///     let merge = try merge3(base: note, ours: mine, theirs: yours, rules: rules)
///     merge.model?.title
///
/// - Parameters:
///   - base: What both began as; `nil` where there was nothing.
///   - ours: Our copy; `nil` where it was removed.
///   - theirs: Their copy; `nil` where it was removed.
///   - rules: The rules of fields.
///   - deletion: Who wins where one side removed what the other changed; a conflict
///     unless given.
///   - stamps: When each side was written, and by whom, for the rules that ask.
/// - Returns: The merged model, and what the rules could not decide: there it is as
///   ours.
/// - Complexity: Expected O(size of the models).
/// - Throws: `EncodingError` where a model can't be encoded; `DecodingError` where
///   what came of it is no model, for the type holds its fields to one another.
@_disfavoredOverload  // Literals are values, not models.
public func merge3<Model: Codable>(
  base: Model?, ours: Model?, theirs: Model?,
  rules: Schema.Collection = Schema.Collection(), deletion: DeletionRule? = nil,
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
  /// Adds the paths of the objects that are one value, and of sets.
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
