extension KeyProvider {
  /// Makes a sealing with the key of a name, which is made where there is none.
  ///
  ///     options.sealing = try await keychain.sealing(keyNamed: "notes") { MySealing(key: $0) }
  ///
  /// Where the key was lost, a new one doesn't open what was sealed with the old one:
  /// the store says so, and changes nothing.
  ///
  /// - Throws: ``KeyProviderError`` where the key isn't to be had, or has another length: none is
  ///   made then.
  public func sealing<Made: Sealing>(
    keyNamed name: String, byteCount: Int = 32, _ make: (SecretKey) -> Made
  ) async throws(KeyProviderError) -> Made {
    let key = try await makeKey(named: name, byteCount: byteCount)
    // A provider that doesn't keep to that part of its contract must not cost the app a trap.
    let found = key.withBytes(\.count)
    guard found == byteCount else { throw .otherLength(byteCount: found) }
    return make(key)
  }
}
