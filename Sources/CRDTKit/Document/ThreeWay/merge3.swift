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
