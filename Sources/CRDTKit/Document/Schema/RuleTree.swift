/// The rules of a collection's fields, by the names that lead to them.
///
/// A tree stands for all paths that match the names so far. A path with the field's own
/// name precedes one with `*` at the same level, from left to right. Matches are found on
/// demand: a tree made in advance would have 2ⁿ parts for n such paths.
struct RuleTree: Sendable {
  /// The continuation of one or several paths after the names so far.
  private final class Node: Sendable {
    let rule: Schema.FieldRule?
    let children: SmallMap<String, Node>
    /// The continuation after any name.
    let any: Node?

    init(_ entries: [(names: ArraySlice<String>, rule: Schema.FieldRule)]) {
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
  /// The matches that apply if the best has no rule; mostly empty.
  private let others: [Node]

  /// Creates the tree of some paths; `nil` if there are none.
  init?(_ fields: [FieldPath: Schema.FieldRule]) {
    // Fields can't be deeper; a deeper tree could only overflow the stack.
    let reached = fields.filter { $0.key.names.count <= Document.Value.maximumDepth }
    guard !reached.isEmpty else { return nil }
    best = Node(reached.map { ($0.key.names[...], $0.value) })
    others = []
  }

  private init(_ best: Node, _ others: [Node]) {
    self.best = best
    self.others = others
  }

  /// The rule of the field at the names so far.
  var rule: Schema.FieldRule? {
    best.rule ?? others.lazy.compactMap(\.rule).first
  }

  /// The rules beneath a name; `nil` if all fields there have their default.
  ///
  /// Fields beneath a merged field are merged too, unless they have another rule.
  ///
  /// - Complexity: O(number of matching paths).
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
