/// Values by key, in the order in which their keys came.
///
/// While there are few, they are looked through one by one, which is faster than
/// making a hash table of them.
struct SmallMap<Key: Hashable, Value> {
  private(set) var entries: ContiguousArray<(key: Key, value: Value)> = []
  /// Where the entries stand, once there are many.
  private var places: [Key: Int] = [:]

  private static var searchedCount: Int { 16 }

  /// Where the value of a key stands; `nil` where there is none.
  func place(of key: Key) -> Int? {
    if entries.count > Self.searchedCount { return places[key] }
    return entries.firstIndex { $0.key == key }
  }

  /// Where the value of a key stands, a new one if there was none.
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

  /// The value of a key; `nil` where there is none.
  subscript(key: Key) -> Value? {
    place(of: key).map { entries[$0].value }
  }

  /// The value at a place.
  subscript(at place: Int) -> Value {
    _read { yield entries[place].value }
    _modify { yield &entries[place].value }
  }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}
