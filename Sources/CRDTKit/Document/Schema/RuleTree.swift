/// The rules of a collection's fields by the names that lead to them.
final class RuleTree: Sendable {
  /// The rule of the field that the path ends at.
  let rule: FieldRule?
  private let children: [String: RuleTree]
  /// What holds for names that no child has.
  private let any: RuleTree?

  /// The tree of some paths; `nil` if there is none.
  convenience init?(_ fields: [FieldPath: FieldRule]) {
    guard !fields.isEmpty else { return nil }
    self.init(fields.map { ($0.key.names[...], $0.value) })
  }

  private init(_ entries: [(names: ArraySlice<String>, rule: FieldRule)]) {
    rule = entries.first { $0.names.isEmpty }?.rule
    let wild = entries.filter { $0.names.first == "*" }
    let named = Dictionary(grouping: entries.filter { !$0.names.isEmpty }) { $0.names.first ?? "" }
    // A named child keeps what the wildcard says of names beneath it.
    children = named.filter { $0.key != "*" }.mapValues { own in
      let ends = own.contains { $0.names.count == 1 }
      let inherited = wild.filter { entry in
        let isTaken = own.contains { $0.names.dropFirst().elementsEqual(entry.names.dropFirst()) }
        return !isTaken && !(ends && entry.names.count == 1)
      }
      return RuleTree((own + inherited).map { ($0.names.dropFirst(), $0.rule) })
    }
    any = wild.isEmpty ? nil : RuleTree(wild.map { ($0.names.dropFirst(), $0.rule) })
  }

  /// The rules beneath a name; `nil` if all have their default there.
  func beneath(_ name: String) -> RuleTree? {
    children[name] ?? any
  }
}
