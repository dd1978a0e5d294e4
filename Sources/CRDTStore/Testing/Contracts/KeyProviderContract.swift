public import CRDTStore

/// The contract of `KeyProvider`.
public enum KeyProviderContract {
  /// Checks a key provider.
  ///
  /// The check creates and removes keys whose names begin with a prefix.
  ///
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ provider: any KeyProvider, prefix: String = "contract-"
  ) async -> [ContractViolation] {
    var report = ContractReport("KeyProvider")
    do throws(KeyProviderError) {
      for name in ["plain", "", "with/slash", "é", "..", "quote\"'"] {
        try await check(provider, named: prefix + name, &report)
      }
      try await checkRace(provider, named: "\(prefix)race", &report)
    } catch {
      report.note(error, "keys can be made, had and removed")
    }
    return report.violations
  }

  private static func check(
    _ provider: any KeyProvider, named name: String, _ report: inout ContractReport
  ) async throws(KeyProviderError) {
    try await provider.removeKey(named: name)
    let none = try await provider.key(named: name)
    report.expect(none == nil, "there is no key before one is made, nor an error")
    let first = try await provider.makeKey(named: name, byteCount: 32)
    report.expect(first.bytes.count, is: 32, "a key has as many bytes as were asked for")
    report.expect(Set(first.bytes).count > 8, "a key is random")
    let found = try await provider.key(named: name)
    report.expect(found == first, "a key that was made is found again")
    let again = try await provider.makeKey(named: name, byteCount: 32)
    report.expect(again == first, "where there is a key, none is made")
    do throws(KeyProviderError) {
      _ = try await provider.makeKey(named: name, byteCount: 16)
      report.expect(false, "a key of another length than was asked for is refused")
    } catch {
      report.expect(
        error == .otherLength(byteCount: 32),
        "a key of another length than was asked for is refused", "\(error)")
    }
    let kept = try await provider.key(named: name)
    report.expect(kept == first, "a key is never replaced, whatever is asked for")
    let other = try await provider.key(named: "\(name)-other")
    report.expect(other == nil, "names have keys of their own")
    try await provider.removeKey(named: name)
    let removed = try await provider.key(named: name)
    report.expect(removed == nil, "a key that was removed can't be had again")
    let second = try await provider.makeKey(named: name, byteCount: 32)
    report.expect(second != first, "every key that is made is another one")
    try await provider.removeKey(named: name)
  }

  private static func checkRace(
    _ provider: any KeyProvider, named name: String, _ report: inout ContractReport
  ) async throws(KeyProviderError) {
    try await provider.removeKey(named: name)
    let keys = await withTaskGroup(of: SecretKey?.self) { group in
      for _ in 0..<16 {
        group.addTask { try? await provider.makeKey(named: name, byteCount: 16) }
      }
      return await group.reduce(into: Set<SecretKey?>()) { $0.insert($1) }
    }
    report.expect(
      keys.count == 1 && !keys.contains(nil), "all who make a key at once get the same",
      "\(keys.count) different ones")
    try await provider.removeKey(named: name)
  }
}
