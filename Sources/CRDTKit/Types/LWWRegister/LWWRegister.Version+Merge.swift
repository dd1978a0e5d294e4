extension LWWRegister.Version: Mergeable {
  /// Takes the other version where its write is the later one.
  @inlinable
  public mutating func merge(_ other: Self) {
    if (timestamp, digest) < (other.timestamp, other.digest) { self = other }
  }
}
