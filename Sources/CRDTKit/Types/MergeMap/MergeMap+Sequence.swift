extension MergeMap: Sequence {
  /// The keys and values of a map.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline let map: MergeMap
    @usableFromInline var keys: Array<Key>.Iterator

    @inlinable
    init(_ map: MergeMap) {
      self.map = map
      keys = map.keys.makeIterator()
    }

    /// The next key and its value, or `nil` after the last.
    @inlinable
    public mutating func next() -> (key: Key, value: Value)? {
      while let key = keys.next() {
        if let value = map[key] { return (key, value) }
      }
      return nil
    }
  }

  /// The keys and their values, in the order of ``keys``.
  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// The keys, each once.
  ///
  /// They come in the order of their oldest rows, by replica, then by time: the
  /// same order on every replica.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var keys: [Key] {
    var keys: [Key] = []
    var known: Set<Key> = []
    table.forEachRow { _, row in
      guard Value.isPresent(row.payload), known.insert(row.key.outer).inserted else { return }
      keys.append(row.key.outer)
    }
    return keys
  }

  /// How many keys there are.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var count: Int {
    var known: Set<Key> = []
    table.forEachRow { _, row in
      if Value.isPresent(row.payload) { known.insert(row.key.outer) }
    }
    return known.count
  }

  /// Whether there is no key.
  @inlinable
  public var isEmpty: Bool {
    var isEmpty = true
    table.forEachRow { _, row in isEmpty = isEmpty && !Value.isPresent(row.payload) }
    return isEmpty
  }

  /// At most how many pairs iteration will give without looking them up.
  @inlinable
  public var underestimatedCount: Int { 0 }

  /// The values under their keys.
  @inlinable
  public var values: [Value] { map { $0.value } }
}

extension MergeMap: CustomStringConvertible {
  /// The keys and values in brackets.
  public var description: String {
    isEmpty
      ? "[:]"
      : "[" + map { "\(String(reflecting: $0.key)): \($0.value)" }.joined(separator: ", ") + "]"
  }
}
