/// The keys that lead to a node: the last one, and the path before it.
///
/// A path is rarely asked for, so its array is made only then.
indirect enum NodePath {
  case start
  case key(any CodingKey, after: NodePath)

  /// The path that continues with a key; the same path without one.
  func appending(_ key: (any CodingKey)?) -> NodePath {
    key.map { .key($0, after: self) } ?? self
  }

  /// The keys, the outermost first.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var path = self
    while case .key(let key, let before) = path {
      keys.append(key)
      path = before
    }
    return keys.reversed()
  }
}
