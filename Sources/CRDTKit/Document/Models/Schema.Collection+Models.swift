extension Schema.Collection {
  /// Whether models may be written and read by lists of their fields, which know nothing of
  /// merging, other names and defaults.
  var allowsLists: Bool { !hasMergedFields && !adaptsModels }

  /// Whether models differ from what is kept.
  private var adaptsModels: Bool { !keptNames.isEmpty || !defaults.isEmpty }

  /// The fields of a model by the names under which they are kept.
  func kept(_ node: CodableNode) -> CodableNode {
    guard !keptNames.isEmpty else { return node }
    switch node {
    case .object(let fields): return .object(kept(fields))
    case .shaped(.object(let fields), let shape): return .shaped(.object(kept(fields)), shape)
    default: return node
    }
  }

  private func kept(_ fields: [CodableNode.Field]) -> [CodableNode.Field] {
    fields.map { CodableNode.Field(key: keptNames[$0.key] ?? $0.key, node: $0.node) }
  }

  /// What a model is read from: the fields of a record by the names that the model has for
  /// them, and what it lacks.
  func completed(_ node: CodableNode) -> CodableNode {
    guard adaptsModels, case .object(var fields) = node else { return node }
    if !keptNames.isEmpty { fields = named(fields) }
    var completed = CodableNode.object(fields)
    for (path, value) in defaults { completed.add(value, at: path.names[...]) }
    return completed
  }

  /// The fields by the names that models have for them now.
  private func named(_ fields: [CodableNode.Field]) -> [CodableNode.Field] {
    let names = Dictionary(keptNames.map { ($0.value, $0.key) }) { first, _ in first }
    let present = Set(fields.map(\.key))
    let left = fields.filter { field in
      // What is kept under the new name counts where there is nothing under the old one.
      guard names[field.key] == nil, let kept = keptNames[field.key] else { return true }
      return !present.contains(kept)
    }
    return left.map { CodableNode.Field(key: names[$0.key] ?? $0.key, node: $0.node) }
      .sorted { $0.key.comes(before: $1.key) }
  }
}

extension CodableNode {
  /// Adds a value at a path, if what it leads through is there and it isn't.
  fileprivate mutating func add(_ value: Document.Value, at names: ArraySlice<String>) {
    guard let name = names.first else { return }
    let rest = names.dropFirst()
    switch self {
    case .array(var elements) where name == "*":
      for place in elements.indices { elements[place].add(value, at: rest) }
      self = .array(elements)
    case .object(var fields):
      if name == "*" {
        for place in fields.indices { fields[place].node.add(value, at: rest) }
      } else if let place = fields.firstIndex(where: { $0.key == name }) {
        if rest.isEmpty { return }
        fields[place].node.add(value, at: rest)
      } else if rest.isEmpty {
        // Fields stand in the order of their names.
        let place = fields.firstIndex { name.comes(before: $0.key) } ?? fields.endIndex
        fields.insert(Field(key: name, node: value.node), at: place)
      }
      self = .object(fields)
    default: break
    }
  }
}
