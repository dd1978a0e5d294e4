/// The rules of a collection's fields by the names that lead to them.
///
/// A tree stands for all the paths that fit the names so far: those with the
/// field's own names before those with `*` for them, from left to right. What fits
/// is found when it is asked for: made in advance, it would be a tree of 2ⁿ parts
/// for n such paths.
struct RuleTree: Sendable {
  /// What follows the names so far in one path or several.
  private final class Node: Sendable {
    let rule: FieldRule?
    let children: SmallMap<String, Node>
    /// What follows any name.
    let any: Node?

    init(_ entries: [(names: ArraySlice<String>, rule: FieldRule)]) {
      rule = entries.first { $0.names.isEmpty }?.rule
      let longer = entries.filter { !$0.names.isEmpty }
      var children = SmallMap<String, Node>()
      for (name, entries) in Dictionary(grouping: longer, by: { $0.names.first ?? "" }) {
        let child = Node(entries.map { ($0.names.dropFirst(), $0.rule) })
        _ = children.place(of: name, orAppending: child)
      }
      self.children = children
      any = children["*"]
    }
  }

  private let best: Node
  /// Those that count where the best has nothing; most often there is none.
  private let others: [Node]

  /// The tree of some paths; `nil` if there is none.
  init?(_ fields: [FieldPath: FieldRule]) {
    // Deeper than fields can stand, a tree would only be a danger to the stack.
    let reached = fields.filter { $0.key.names.count <= Document.Value.depthMax }
    guard !reached.isEmpty else { return nil }
    best = Node(reached.map { ($0.key.names[...], $0.value) })
    others = []
  }

  private init(_ best: Node, _ others: [Node]) {
    self.best = best
    self.others = others
  }

  /// The rule of the field that the names lead to.
  var rule: FieldRule? {
    best.rule ?? others.lazy.compactMap(\.rule).first
  }

  /// The rules beneath a name; `nil` if all have their default there.
  ///
  /// What stands beneath a merged field is merged too, unless it has another rule.
  ///
  /// - Complexity: O(number of paths that fit).
  func beneath(_ name: String) -> RuleTree? {
    let fitting = fitting(name)
    guard rule == .merged, fitting?.rule == nil else { return fitting }
    return RuleTree(Self.merged, fitting.map { [$0.best] + $0.others } ?? [])
  }

  private static let merged = Node([([], .merged)])

  private func fitting(_ name: String) -> RuleTree? {
    let any = name == "*" ? nil : best.any
    if others.isEmpty, any == nil { return best.children[name].map { RuleTree($0, []) } }
    var fitting: [Node] = []
    for node in [best] + others {
      if let own = node.children[name] { fitting.append(own) }
      if name != "*", let any = node.any { fitting.append(any) }
    }
    guard let first = fitting.first else { return nil }
    return RuleTree(first, Array(fitting.dropFirst()))
  }
}
