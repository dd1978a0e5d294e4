/// A name that was given, taken away, or both.
struct NameChange: Sendable {
  struct Place: Hashable, Sendable {
    let folder: Int
    let name: String
  }

  let node: Int
  /// The place that it had; `nil` if it had none.
  let source: Place?
  /// The place that it has got; `nil` if it was removed.
  let target: Place?
}

extension NameChange {
  /// Gives the node its new name.
  func addTarget(to nodes: inout [DiskImage.Node]) {
    guard let target, case .folder(var names) = nodes[target.folder] else { return }
    names[target.name] = node
    nodes[target.folder] = .folder(names)
  }

  /// Takes the old name from the node, unless something else has it.
  func removeSource(from nodes: inout [DiskImage.Node]) {
    guard let source, case .folder(var names) = nodes[source.folder], names[source.name] == node
    else { return }
    names[source.name] = nil
    nodes[source.folder] = .folder(names)
  }
}
