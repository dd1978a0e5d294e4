/// Values by key, in the order in which the keys were added.
///
/// A few keys are searched one by one, which is faster than building a hash table.
struct SmallMap<Key: Hashable, Value> {
  private(set) var entries: ContiguousArray<(key: Key, value: Value)> = []
  /// The index of each key, once there are many.
  private var places: [Key: Int] = [:]

  private static var searchedCount: Int { 16 }

  /// The index of a key's value; `nil` if there is none.
  func place(of key: Key) -> Int? {
    if entries.count > Self.searchedCount { return places[key] }
    return entries.firstIndex { $0.key == key }
  }

  /// The index of a key's value; a new one is appended if there was none.
  mutating func place(of key: Key, orAppending value: @autoclosure () -> Value) -> Int {
    if let place = place(of: key) { return place }
    if entries.isEmpty { entries.reserveCapacity(8) }
    entries.append((key, value()))
    if entries.count == Self.searchedCount + 1 {
      for place in entries.indices { places[entries[place].key] = place }
    } else if entries.count > Self.searchedCount {
      places[key] = entries.count - 1
    }
    return entries.count - 1
  }

  /// The value of a key; `nil` if there is none.
  subscript(key: Key) -> Value? {
    place(of: key).map { entries[$0].value }
  }

  /// The value at an index.
  subscript(at place: Int) -> Value {
    _read { yield entries[place].value }
    _modify { yield &entries[place].value }
  }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}
