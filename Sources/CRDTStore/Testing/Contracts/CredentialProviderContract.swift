public import CRDTStore

/// The contract of `CredentialProvider`.
public enum CredentialProviderContract {
  /// The exchange with a server by which a provider gets a new credential.
  public typealias Exchange = @Sendable (Credential?) async throws(CredentialError) -> Credential

  /// Checks a kind of provider.
  ///
  /// - Parameter make: Creates a provider that knows `token-0` and uses the given exchange.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ make: (@escaping Exchange) async -> any CredentialProvider
  ) async -> [ContractViolation] {
    var report = ContractReport("CredentialProvider")
    await checkSharing(make, &report)
    await checkStaleness(make, &report)
    await checkFailure(make, &report)
    await checkCancellation(make, &report)
    return report.violations
  }

  private static let old = Credential("token-0")

  /// The result of a request; `nil` if it takes too long.
  private static func outcome(
    _ body: @escaping @Sendable () async throws(CredentialError) -> Credential
  ) async -> Result<Credential, CredentialError>? {
    await Waiting.result {
      do throws(CredentialError) { return .success(try await body()) } catch {
        return .failure(error)
      }
    }
  }

  private static func checkSharing(
    _ make: (@escaping Exchange) async -> any CredentialProvider, _ report: inout ContractReport
  ) async {
    let (gate, count) = (Gate(), Locked(0))
    let provider = await make { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      await gate.wait()
      return Credential("token-\(number)")
    }
    let known = await outcome { () throws(CredentialError) in try await provider.credential() }
    report.expect(known == .success(old), "the newest credential is given", "\(known as Any)")
    let asking = (0..<8).map { _ in
      Task {
        await outcome { () throws(CredentialError) in
          try await provider.credential(replacing: old)
        }
      }
    }
    _ = await Waiting.until { gate.waitingCount > 0 }
    await Waiting.aWhile()
    gate.open()
    for task in asking {
      let found = await task.value
      report.expect(
        found == .success(Credential("token-1")), "all who ask at once get the same",
        "\(found as Any)")
    }
    report.expect(count.withLock { $0 }, is: 1, "all who ask at once share one exchange")
  }

  private static func checkStaleness(
    _ make: (@escaping Exchange) async -> any CredentialProvider, _ report: inout ContractReport
  ) async {
    let count = Locked(0)
    let provider = await make { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return Credential("token-\(number)")
    }
    for round in 1...20 {
      let refused = Credential("token-\(round - 1)")
      let newer = await outcome { () throws(CredentialError) in
        try await provider.credential(replacing: refused)
      }
      report.expect(
        newer == .success(Credential("token-\(round)")),
        "a credential that is refused is replaced by a newer one", "\(newer as Any)")
      let late = await outcome { () throws(CredentialError) in
        try await provider.credential(replacing: refused)
      }
      report.expect(late == newer, "where there is a newer one it is given", "\(late as Any)")
    }
    report.expect(
      count.withLock { $0 }, is: 20, "where there is a newer one, there is no exchange")
  }

  private static func checkFailure(
    _ make: (@escaping Exchange) async -> any CredentialProvider, _ report: inout ContractReport
  ) async {
    let failure = Locked<CredentialError?>(.signedOut)
    let provider = await make { _ throws(CredentialError) in
      if let failure = failure.withLock({ $0 }) { throw failure }
      return Credential("token-1")
    }
    let failed = await outcome { () throws(CredentialError) in
      try await provider.credential(replacing: old)
    }
    report.expect(
      failed == .failure(.signedOut), "an exchange that fails is told as it is", "\(failed as Any)")
    failure.withLock { $0 = nil }
    let mended = await outcome { () throws(CredentialError) in
      try await provider.credential(replacing: old)
    }
    report.expect(
      mended == .success(Credential("token-1")), "a failed exchange isn't remembered",
      "\(mended as Any)")
  }

  private static func checkCancellation(
    _ make: (@escaping Exchange) async -> any CredentialProvider, _ report: inout ContractReport
  ) async {
    let gate = Gate()
    let provider = await make { _ throws(CredentialError) in
      guard await gate.wait() else { throw .cancelled }
      return Credential("token-1")
    }
    let asking = (0..<2).map { _ in
      Task {
        do throws(CredentialError) {
          return Result<Credential, CredentialError>.success(
            try await provider.credential(replacing: old))
        } catch {
          return .failure(error)
        }
      }
    }
    _ = await Waiting.until { gate.waitingCount > 0 }
    await Waiting.aWhile()
    asking[0].cancel()
    let first = asking[0]
    let cancelled = await Waiting.result { await first.value }
    report.expect(
      cancelled == .failure(.cancelled), "who is cancelled waits no longer", "\(cancelled as Any)")
    gate.open()
    let second = asking[1]
    let other = await Waiting.result { await second.value }
    report.expect(
      other == .success(Credential("token-1")), "others still get theirs when one is cancelled",
      "\(other as Any)")
  }
}
