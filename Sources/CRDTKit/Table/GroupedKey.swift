/// A key with prefixes under which rows are looked up together.
@usableFromInline
package protocol GroupedKey: Hashable {
  /// The hashes of the key's prefixes: the first part, the first two, and so on;
  /// not of the whole key.
  var prefixHashes: [Int] { get }
}

extension NestedKey: GroupedKey {
  @inlinable
  package var prefixHashes: [Int] {
    let hash = KeyIdentity.hash(of: outer)
    guard let inner = inner as? any GroupedKey else { return [hash] }
    return [hash] + inner.prefixHashes.map { NestedKey.prefixHash(hash, $0) }
  }

  /// The hash of a prefix that goes on beneath an outer key.
  @inlinable
  package static func prefixHash(_ outer: Int, _ inner: Int) -> Int {
    outer &* 31 &+ inner ^ (inner &>> 32)
  }
}
