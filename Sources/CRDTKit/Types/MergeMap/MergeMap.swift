/// A dictionary of replicated values.
///
/// Any replica can update and remove its keys.
///
/// Removing a key removes the changes under it that the replica has seen. Only concurrent
/// changes survive: if a counter at 5 is removed here and incremented by 1 there, the
/// result is 1.
///
///     var basket: MergeMap<String, PNCounter> = MergeMap()
///     try basket.update("apples", by: phone) { try $0.increment(3) }
///     basket["apples"]?.value              // 3
///
/// Values can be maps again. All rows of the tree live in one table, with one version.
/// (Preguiça et al., "Conflict-free Replicated Data Types", 2018, section 3: a map with
/// recursive, observed removals.)
@frozen
public struct MergeMap<Key: Hashable & CanonicalCodable, Value: MapValue>: TableBacked, MapValue {
  /// The rows of the values, each under the map's key and its own.
  public var _table: DotTable<NestedKey<Key, Value.RowKey>, Value.RowPayload>

  /// Creates an empty map that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the map from its rows.
  @inlinable
  public init(_table table: DotTable<NestedKey<Key, Value.RowKey>, Value.RowPayload>) {
    _table = table
  }

  /// The type code of maps, then the key's and the value's.
  @inlinable
  public static var typeCode: [UInt8] { [40] + Key.typeCode + Value.typeCode }

  /// Returns whether a row shows that the map has a key.
  @inlinable
  public static func isPresent(_ payload: Value.RowPayload) -> Bool {
    Value.isPresent(payload)
  }

  /// Whether removing a value of the map leaves a row.
  @inlinable
  public static var remembersRemovals: Bool { Value.remembersRemovals }

  /// Removes every key; if removals of values leave rows, one key after another.
  @inlinable
  public static func removeAll(in editor: inout Editor<Self>) {
    let dots = editor.scope.dots()
    guard remembersRemovals else { return editor.scope.remove(dots) }
    var keys: Set<NestedKey<Key, NoPayload>> = []
    for dot in dots {
      guard let key = editor.scope.row(at: dot)?.key.outer,
        keys.insert(NestedKey(key, NoPayload())).inserted
      else { continue }
      editor.removeValue(forKey: key)
    }
  }

  /// The value under a key, or `nil` if the key is absent.
  ///
  /// It is a copy; changing it does not change the map. To change the map, use
  /// ``update(_:by:_:)``.
  ///
  /// - Complexity: Expected O(number of replicas + rows under the key).
  @inlinable
  public subscript(key: Key) -> Value? {
    lookUp(key)
  }

  @inlinable
  @inline(never)  // The caller holds the table, whose rows are read by their addresses.
  func lookUp(_ key: Key) -> Value? {
    if let only = NoPayload() as? Value.RowKey {
      // Most often it is one row, which needs no array, and maybe no table.
      var (count, isPresent) = (0, false)
      var row: (dot: Dot, address: UnsafeMutablePointer<Row<RowKey, RowPayload>>)?
      let nested = NestedKey(key, only)
      _table.forEachRow(
        hashedAs: nested, where: { $0 == nested },
        visit: { dot, address in
          row = (dot, address)
          count &+= 1
          isPresent = isPresent || Value.isPresent(address.pointee.payload)
        })
      guard isPresent else { return nil }
      if count == 1, let row {
        return Value(_only: row.address.pointee.payload)
          ?? restricted(to: CollectionOfOne(row.dot))
      }
    }
    let dots = dots(under: key)
    let isPresent = dots.contains { dot in
      _table.address(of: dot).map { Value.isPresent($0.pointee.payload) } ?? false
    }
    guard isPresent else { return nil }
    return restricted(to: dots)
  }

  @inlinable
  func restricted(to dots: some RandomAccessCollection<Dot>) -> Value? {
    Value(_table: _table.restricted(to: dots) { $0.inner })
  }

  /// The dots of all rows under a key, in order.
  @inlinable
  func dots(under key: Key) -> ContiguousArray<Dot> {
    if let only = NoPayload() as? Value.RowKey {
      return _table.dots(of: NestedKey(key, only))
    }
    return _table.dots(under: KeyIdentity.hash(of: key)) { KeyIdentity.areSame($0.outer, key) }
  }

  /// Changes the value under a key on behalf of a replica.
  ///
  /// If the key is absent, the value is empty at first.
  ///
  ///     map.update("fruits", by: phone) { $0.insert("apple") }
  ///
  /// - Complexity: The complexity of `body`; the rest of the map is not touched.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    _ key: Key, by replica: ReplicaID, _ body: (inout Editor<Value>) throws -> Result
  ) rethrows -> Result {
    try withEditor(by: replica) { try $0.update(key, body) }
  }

  /// Removes a key on behalf of a replica, and returns whether it was present.
  ///
  /// Everything seen under the key is removed; concurrent changes stay.
  ///
  /// - Complexity: Expected O(rows under the key).
  @inlinable
  @discardableResult
  public mutating func removeValue(forKey key: Key, by replica: ReplicaID) -> Bool {
    withEditor(by: replica) { $0.removeValue(forKey: key) }
  }
}

extension Editor {
  /// Changes the value under a key.
  ///
  /// If the key is absent, the value is empty at first.
  @inlinable
  @discardableResult
  public mutating func update<Key, Nested, Result>(
    _ key: Key, _ body: (inout Editor<Nested>) throws -> Result
  ) rethrows -> Result where Value == MergeMap<Key, Nested> {
    var editor = Editor<Nested>(EntryScope(scope, under: key))
    return try body(&editor)
  }

  /// Removes a key and everything seen under it; returns whether the key was present.
  @inlinable
  @discardableResult
  public mutating func removeValue<Key, Nested>(forKey key: Key) -> Bool
  where Value == MergeMap<Key, Nested> {
    let entry = EntryScope(scope, under: key)
    let isPresent = entry.dots().contains { dot in
      entry.row(at: dot).map { Nested.isPresent($0.payload) } ?? false
    }
    guard isPresent else { return false }
    var editor = Editor<Nested>(entry)
    Nested.removeAll(in: &editor)
    return true
  }

  /// Returns whether the map has a key.
  @inlinable
  public func contains<Key, Nested>(key: Key) -> Bool where Value == MergeMap<Key, Nested> {
    let entry = EntryScope(scope, under: key)
    return entry.dots().contains { dot in
      entry.row(at: dot).map { Nested.isPresent($0.payload) } ?? false
    }
  }
}

extension MergeMap: Sequence {
  /// An iterator over the keys and values of a map.
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

  /// Returns an iterator over the keys and their values, in the order of ``keys``.
  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// The keys, each once.
  ///
  /// They are in the order of their oldest rows, by replica, then by time. The order is
  /// the same on every replica.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var keys: [Key] {
    var keys: [Key] = []
    var known: Set<NestedKey<Key, NoPayload>> = []
    _table.forEachRow { _, row in
      let key = NestedKey(row.key.outer, NoPayload())
      // A NaN equals nothing, so it can't be looked up and counts as absent.
      guard Value.isPresent(row.payload), key == key, known.insert(key).inserted else { return }
      keys.append(key.outer)
    }
    return keys
  }

  /// The number of keys.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var count: Int { keys.count }

  /// Whether the map is empty.
  ///
  /// - Complexity: Expected O(rows).
  @inlinable
  public var isEmpty: Bool { _table.rowCount == 0 || keys.isEmpty }

  /// A lower bound of the number of keys, known without looking them up.
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
