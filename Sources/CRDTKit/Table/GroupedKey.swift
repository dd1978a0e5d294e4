/// A key with prefixes under which rows are looked up together.
@usableFromInline
package protocol GroupedKey: Hashable {
  /// Calls the body with the hash of each prefix under which the key is found.
  func forEachPrefixHash(_ body: (Int) -> Void)
}

extension NestedKey: GroupedKey {
  /// The prefixes are the first part, the first two, and so on; not the whole key.
  @inlinable
  package func forEachPrefixHash(_ body: (Int) -> Void) {
    let hash = KeyIdentity.hash(of: outer)
    body(hash)
    guard let inner = inner as? any GroupedKey else { return }
    inner.forEachPrefixHash { body(NestedKey.prefixHash(hash, $0)) }
  }

  /// The hash of a prefix that goes on beneath an outer key.
  @inlinable
  package static func prefixHash(_ outer: Int, _ inner: Int) -> Int {
    outer &* 31 &+ inner ^ (inner &>> 32)
  }
}
