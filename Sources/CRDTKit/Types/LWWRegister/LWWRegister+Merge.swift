extension LWWRegister: Mergeable {
  /// Keeps the value with the greater stamp; under equal stamps, the one whose
  /// canonical form is greater.
  @inlinable
  public mutating func merge(_ other: LWWRegister) {
    take(other.content, at: other.stamp)
  }

  @inlinable
  @discardableResult
  mutating func take(_ value: Value, at timestamp: HybridTimestamp) -> Bool {
    if stamp == timestamp { return takeTied(value) }
    guard stamp < timestamp else { return false }
    stamp = timestamp
    content = value
    return true
  }

  @inlinable
  @inline(never)
  mutating func takeTied(_ value: Value) -> Bool {
    guard content.precedes(value) else { return false }
    content = value
    return true
  }
}

extension LWWRegister: Equatable {
  /// Whether two copies are in the same state: the same stamp, and values of the
  /// same canonical form.
  ///
  /// So a NaN equals itself, while −0.0 and 0.0, or two spellings of "é", differ.
  @inlinable
  public static func == (left: LWWRegister, right: LWWRegister) -> Bool {
    left.stamp == right.stamp && left.content.hasSameForm(as: right.content)
  }
}

extension LWWRegister: Hashable {
  /// Hashes the stamp and the value's canonical form.
  ///
  /// - Complexity: O(size of the value).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(stamp)
    var writer = ByteWriter()
    content.encode(to: &writer)
    writer.withBytes { hasher.combine(bytes: $0) }
  }
}
