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
    var known: Set<NestedKey<Key, Unit>> = []
    table.forEachRow { _, row in
      let key = NestedKey(row.key.outer, Unit())
      // A NaN equals nothing, so it can't be looked up: it counts as absent.
      guard Value.isPresent(row.payload), key == key, known.insert(key).inserted else { return }
      keys.append(key.outer)
    }
    return keys
  }

  /// How many keys there are.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var count: Int { keys.count }

  /// Whether there is no key.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var isEmpty: Bool { table.rowCount == 0 || keys.isEmpty }

  /// At least how many pairs iteration will give: known without looking them up.
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
