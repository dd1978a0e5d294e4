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
