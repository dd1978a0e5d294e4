/// Values by key, in the order in which the keys were added.
///
/// A few keys are searched one by one, by their digests, which is faster than building a
/// hash table.
struct SmallMap<Key: DigestedKey, Value> {
  private(set) var keys: ContiguousArray<Key> = []
  /// The values in the order of the keys.
  var values: ContiguousArray<Value> = []
  /// The digests of the keys, while there are few.
  private var digests: ContiguousArray<UInt64> = []
  /// Whether a key has no digest, so that it may equal one with a digest.
  private var hasUndigested = false
  /// The index of each key, once there are many.
  private var places: [Key: Int] = [:]

  private static var searchedCount: Int { 32 }
  private static var firstRoom: Int { 8 }

  /// The index of a key; `nil` if there is none.
  func place(of key: Key) -> Int? {
    keys.count > Self.searchedCount ? places[key] : search(key, key.digest)
  }

  private func search(_ key: Key, _ digest: UInt64) -> Int? {
    if digest == 0 || hasUndigested { return keys.firstIndex(of: key) }
    return digests.indices.first { digests[$0] == digest && keys[$0] == key }
  }

  /// The index of a key; a new one is appended with a value if there was none.
  mutating func place(of key: Key, orAppending value: @autoclosure () -> Value) -> Int {
    if keys.count > Self.searchedCount {
      if let place = places[key] { return place }
      places[key] = keys.count
    } else {
      let digest = key.digest
      if let place = search(key, digest) { return place }
      if keys.isEmpty {
        keys.reserveCapacity(Self.firstRoom)
        values.reserveCapacity(Self.firstRoom)
        digests.reserveCapacity(Self.firstRoom)
      }
      digests.append(digest)
      if digest == 0 { hasUndigested = true }
    }
    keys.append(key)
    values.append(value())
    if keys.count == Self.searchedCount + 1 {
      for place in keys.indices { places[keys[place]] = place }
    }
    return keys.count - 1
  }

  /// The value of a key; `nil` if there is none.
  subscript(key: Key) -> Value? {
    place(of: key).map { values[$0] }
  }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}

/// A key with a number that tells most keys apart at once.
protocol DigestedKey: Hashable {
  /// The same number for equal keys; 0 if only a comparison can tell.
  var digest: UInt64 { get }
}

extension String: DigestedKey {
  /// A number computed from the bytes; 0 if one of them isn't ASCII, because equal texts
  /// may differ in their bytes then.
  var digest: UInt64 {
    withUTF8Bytes { bytes in
      var (all, digest): (UInt64, UInt64) = (0, UInt64(bytes.count))
      var place = 0
      while place < bytes.count {
        let word =
          place + 8 <= bytes.count
          ? bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          : bytes.lastWord(from: place)
        all |= word
        digest = (digest ^ word) &* 0x9E37_79B9_7F4A_7C15
        digest ^= digest >> 32
        place += 8
      }
      return all & 0x8080_8080_8080_8080 == 0 ? digest | 1 : 0
    }
  }
}

extension Document.Place: DigestedKey {
  /// The hash of the place.
  var digest: UInt64 { UInt64(bitPattern: Int64(hash)) }
}

extension Document.Value: DigestedKey {
  /// Elements are compared, because their digests would take as long.
  var digest: UInt64 { 0 }
}
