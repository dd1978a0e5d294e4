import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("Secrets")
struct SecretTests {
  @Test("Keys in memory keep the contract, and fail when told to")
  func keys() async {
    let provider = FakeKeyProvider()
    let found = await KeyProviderContract.check(provider)
    #expect(found.isEmpty, "\(found)")
    provider.failure = .locked
    let failing = await KeyProviderContract.check(provider)
    #expect(failing.count == 1)
  }

  @Test("Places for keys that break the contract are found out")
  func brokenKeys() async {
    for flaw in BrokenKeyProvider.Flaw.allCases {
      let found = await impatiently { await KeyProviderContract.check(BrokenKeyProvider(flaw)) }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }

  @Test("The sealing of tests keeps the contract as far as accidents go, and says what it is")
  func sealing() throws {
    let found = SealingContract.check { InsecureSealing(insecurelyWith: SecretKey([$0])) }
    #expect(found.isEmpty, "\(found.prefix(3))")
    let sealed = try InsecureSealing(insecurelyWith: SecretKey([1])).seal([1, 2], for: [])
    #expect(sealed.starts(with: Array("NOT SECURE".utf8)))
  }

  @Test("Sealings that break the contract are found out")
  func brokenSealings() {
    for flaw in BrokenSealing.Flaw.allCases {
      let found = SealingContract.check { key in BrokenSealing(flaw, key) }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }

  @Test("Secrets are not in what is printed of them")
  func printing() {
    let values: [Any] = [SecretKey([77, 77]), Credential("hush"), [Credential("hush")]]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      let all = "\(value) \(String(reflecting: value)) \(dumped)"
      #expect(!all.contains("77") && !all.contains("hush"), "\(all)")
    }
  }

  @Test("Credentials that are fetched by a closure keep the contract")
  func credentials() async {
    let found = await CredentialProviderContract.check { fetch in
      SharedCredentials(Credential("token-0"), fetch: fetch)
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test("Credentials are fetched where none is known, and forgotten for good")
  func forgetting() async throws {
    let (gate, asked) = (Gate(), Recorded<Credential?>())
    let credentials = SharedCredentials { refused in
      asked.append(refused)
      if asked.values.count == 2 { await gate.wait() }
      return Credential("\(asked.values.count)")
    }
    #expect(try await credentials.credential() == Credential("1"))
    let waiting = Task { try await credentials.credential(replacing: Credential("1")) }
    #expect(await eventually { gate.waitingCount == 1 })
    await credentials.forget()
    gate.open()
    await #expect(throws: CredentialError.signedOut) { try await waiting.value }
    #expect(try await credentials.credential() == Credential("3"))
    #expect(asked.values == [nil, Credential("1"), nil])
  }

  @Test("Who signs out leaves nobody waiting, though the exchange never ends")
  func forgettingWhatHangs() async throws {
    let gate = Gate()
    let credentials = SharedCredentials { _ in
      // As one that takes no notice of being cancelled.
      _ = await Task.detached { await gate.wait() }.value
      return Credential("late")
    }
    let waiting = (0..<3).map { _ in Task { try await credentials.credential() } }
    #expect(await eventually { gate.waitingCount == 1 })
    await credentials.forget()
    for task in waiting {
      await #expect(throws: CredentialError.signedOut) { try await task.value }
    }
    let next = Task { try await credentials.credential(replacing: Credential("old")) }
    #expect(await eventually { gate.waitingCount == 2 })
    gate.open()
    #expect(try await next.value == Credential("late"))
  }

  @Test("Secrets are equal if all their bytes are, whichever differ")
  func equality() {
    let bytes = (0..<64).map { UInt8($0) }
    let key = SecretKey(bytes)
    #expect(key == SecretKey(bytes) && Set([key, SecretKey(bytes)]).count == 1)
    #expect(key.bytes == bytes && key != SecretKey(Array(bytes.dropLast())))
    #expect(SecretKey([]) == SecretKey([]) && SecretKey([]) != key)
    for bit in 0..<bytes.count * 8 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(key != SecretKey(other), "bit \(bit)")
    }
    #expect(Credential("token é") == Credential("token é"))
    // Swift takes both for the same text; a server doesn't.
    #expect(Credential("é") != Credential("e\u{301}") && Credential("a").secret == "a")
  }

  @Test("Secrets are wiped when nobody has them any more, and not before")
  func wiping() {
    let freed = Guarded<[[UInt8]]>([])
    var first: SecretBytes? = SecretBytes([1, 2, 3, 4]) { room in
      freed.withLock { $0.append(Array(room)) }
      room.deallocate()
    }
    var second = first
    first = nil
    #expect(freed.withLock { $0 } == [] && second?.withBytes { Array($0) } == [1, 2, 3, 4])
    second = nil
    #expect(freed.withLock { $0 } == [[0, 0, 0, 0]])
  }

  @Test("A key of another length is refused, and stays what it is")
  func otherLength() async throws {
    let provider = FakeKeyProvider()
    let key = try await provider.makeKey(named: "k", byteCount: 32)
    await #expect(throws: KeyProviderError.otherLength(byteCount: 32)) {
      _ = try await provider.makeKey(named: "k", byteCount: 16)
    }
    #expect(try await provider.key(named: "k") == key)
    // A provider that minds no lengths costs the app no trap.
    let careless = BrokenKeyProvider(.anyLength)
    _ = try await careless.makeKey(named: "k", byteCount: 32)
    await #expect(throws: KeyProviderError.otherLength(byteCount: 32)) {
      _ = try await careless.sealing(keyNamed: "k", byteCount: 16) { _ in TestSealing() }
    }
  }

  @Test("The credentials of tests count what is replaced")
  func fake() async throws {
    let credentials = FakeCredentials()
    let first = try await credentials.credential()
    #expect(try await credentials.credential(replacing: first) == Credential("token-2"))
    #expect(try await credentials.credential(replacing: first) == Credential("token-2"))
    #expect(credentials.replacedCount == 1)
    credentials.failure = .signedOut
    await #expect(throws: CredentialError.signedOut) {
      try await credentials.credential(replacing: Credential("token-2"))
    }
  }

  @Test("Providers of credentials that break the contract are found out")
  func brokenCredentials() async {
    for flaw in BrokenCredentials.Flaw.allCases {
      let found = await impatiently {
        await CredentialProviderContract.check { BrokenCredentials(flaw, $0) }
      }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }
}

/// A place for keys with a flaw.
private final class BrokenKeyProvider: KeyProvider {
  enum Flaw: CaseIterable {
    case makesAnew, removesNothing, oneForAll, zeros, short, makesUp, anyLength
  }

  private let inner = FakeKeyProvider()
  private let flaw: Flaw

  init(_ flaw: Flaw) {
    self.flaw = flaw
  }

  func key(named name: String) async throws(KeyProviderError) -> SecretKey? {
    let key = try await inner.key(named: flaw == .oneForAll ? "" : name)
    return flaw == .makesUp ? key ?? SecretKey([1]) : key
  }

  func makeKey(
    named name: String, byteCount: Int
  ) async throws(KeyProviderError) -> SecretKey {
    if flaw == .makesAnew { try await inner.removeKey(named: name) }
    if flaw == .anyLength, let key = try await inner.key(named: name) { return key }
    let count = flaw == .short ? byteCount - 1 : byteCount
    let key = try await inner.makeKey(named: flaw == .oneForAll ? "" : name, byteCount: count)
    return flaw == .zeros ? SecretKey(key.bytes.map { _ in 0 }) : key
  }

  func removeKey(named name: String) async throws(KeyProviderError) {
    if flaw != .removesNothing { try await inner.removeKey(named: flaw == .oneForAll ? "" : name) }
  }
}

/// A sealing with a flaw.
private struct BrokenSealing: Sealing {
  enum Flaw: CaseIterable {
    case plain, ignoresContext, ignoresKey, ignoresTail, tooLong, sameTwice, wrongError
  }

  let flaw: Flaw
  let inner: InsecureSealing

  init(_ flaw: Flaw, _ key: UInt8) {
    self.flaw = flaw
    inner = InsecureSealing(insecurelyWith: SecretKey([flaw == .ignoresKey ? 0 : key]))
  }

  var overheadBytes: Int { flaw == .tooLong ? inner.overheadBytes - 1 : inner.overheadBytes }

  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    switch flaw {
    case .plain: return bytes
    case .sameTwice: return bytes.map { $0 ^ 0x55 }
    default: return try inner.seal(bytes, for: flaw == .ignoresContext ? [] : context)
    }
  }

  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    switch flaw {
    case .plain: return sealed
    case .sameTwice: return sealed.map { $0 ^ 0x55 }
    case .ignoresContext: return try inner.open(sealed, for: [])
    case .ignoresTail:
      do throws(SealingError) { return try inner.open(sealed, for: context) } catch {
        return try inner.open(sealed.dropLast(), for: context)
      }
    case .wrongError:
      do throws(SealingError) { return try inner.open(sealed, for: context) } catch {
        throw .failed(reason: "it did not work")
      }
    default: return try inner.open(sealed, for: context)
    }
  }
}

extension InsecureSealing {
  fileprivate func open(
    _ sealed: ArraySlice<UInt8>, for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try open(Array(sealed), for: context)
  }
}

/// A provider of credentials with a flaw.
private actor BrokenCredentials: CredentialProvider {
  enum Flaw: CaseIterable {
    case sharesNothing, alwaysFetches, neverFetches, remembersFailures, ignoresCancelling
    case cancelsAll
  }

  private let flaw: Flaw
  private let fetch: CredentialProviderContract.Exchange
  private var newest = Credential("token-0")
  private var failure: CredentialError?
  private var fetching: Task<Result<Credential, CredentialError>, Never>?

  init(_ flaw: Flaw, _ fetch: @escaping CredentialProviderContract.Exchange) {
    self.flaw = flaw
    self.fetch = fetch
  }

  func credential() async throws(CredentialError) -> Credential { newest }

  func credential(replacing refused: Credential) async throws(CredentialError) -> Credential {
    if flaw == .neverFetches { return newest }
    if let failure { throw failure }
    if newest != refused, flaw != .alwaysFetches { return newest }
    let task = flaw == .sharesNothing ? begin(refused) : fetching ?? begin(refused)
    fetching = task
    let outcome =
      if flaw == .cancelsAll {
        await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          task.cancel()
        }
      } else {
        await task.value
      }
    fetching = nil
    switch outcome {
    case .success(let credential):
      newest = credential
      return credential
    case .failure(let error):
      if flaw == .remembersFailures { failure = error }
      throw error
    }
  }

  private func begin(_ refused: Credential) -> Task<Result<Credential, CredentialError>, Never> {
    Task { [fetch] in
      do throws(CredentialError) { return .success(try await fetch(refused)) } catch {
        return .failure(error)
      }
    }
  }
}
