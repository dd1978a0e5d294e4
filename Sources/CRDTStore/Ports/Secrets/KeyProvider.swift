import CRDTKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Stores keys in the platform's storage for secrets: a keychain or keystore.
///
/// Contract:
/// - For a name without a key the result is `nil`, not an error.
/// - Each name has one key. Concurrent calls that create it return the same key, which is
///   stored before any of them returns.
/// - An existing key is never replaced, because it may be the only one that opens sealed
///   data. If it has another length than requested, the call throws
///   ``KeyProviderError/otherLength(byteCount:)``.
/// - Keys outlive the process. A removed key can't be restored.
/// - Methods may be called from any task, and return soon if it is cancelled. They may ask
///   the user, so they may take long. They never create a key because the existing one
///   can't be read.
public protocol KeyProvider: Sendable {
  /// The key of a name; `nil` if there is none.
  func key(named name: String) async throws(KeyProviderError) -> SecretKey?

  /// The key of a name with a length; it is created from random bytes if there is none.
  func makeKey(named name: String, byteCount: Int) async throws(KeyProviderError) -> SecretKey

  /// Removes the key of a name, if there is one.
  func removeKey(named name: String) async throws(KeyProviderError)
}

extension KeyProvider {
  /// Creates a sealing with the key of a name, which is created if there is none.
  ///
  ///     options.sealing = try await keychain.sealing(keyNamed: "notes") { MySealing(key: $0) }
  ///
  /// If the key was lost, a new one doesn't open data that was sealed with the old one: the
  /// store throws an error, and changes nothing.
  ///
  /// - Throws: ``KeyProviderError`` if the key is not available or has another length. No
  ///   key is created then.
  public func sealing<Made: Sealing>(
    keyNamed name: String, byteCount: Int = 32, _ make: (SecretKey) -> Made
  ) async throws(KeyProviderError) -> Made {
    let key = try await makeKey(named: name, byteCount: byteCount)
    // The app must not trap if a provider breaks this part of its contract.
    let found = key.withBytes(\.count)
    guard found == byteCount else { throw .otherLength(byteCount: found) }
    return make(key)
  }
}

/// Why a key is not available.
@nonexhaustive
public enum KeyProviderError: Error, Hashable, Sendable {
  /// It can't be read now, for example while the device is locked, but may be later.
  case locked
  /// The user or the system refused.
  case denied
  /// The key storage failed.
  case failed(reason: String)
  /// The existing key of the name has this length instead of the requested one.
  case otherLength(byteCount: Int)
  /// The task was cancelled.
  case cancelled
}

extension KeyProviderError: CustomStringConvertible {
  /// What is wrong and what to do, as a clause.
  public var description: String {
    switch self {
    case .locked: "the key can't be read now: try again when the device is unlocked"
    case .denied: "the user or the system refused access to the key"
    case .failed(let reason): "the key can't be read: \(reason.visible)"
    case .otherLength(let count): "the key of that name has \(count) bytes: use another name"
    case .cancelled: "reading the key was cancelled"
    }
  }
}

/// The bytes of a key, which neither descriptions nor mirrors show.
///
/// Comparisons take a time that does not depend on where two keys differ. When the last
/// copy is gone, the bytes are overwritten. Arrays that ``bytes`` returns, and the one that
/// it was created from, are not overwritten.
public struct SecretKey: Hashable, Sendable {
  private let secret: SecretBytes

  /// Creates a key from its bytes.
  public init(_ bytes: [UInt8]) {
    secret = SecretBytes(bytes)
  }

  /// A copy of the key.
  ///
  /// Don't log it. It is not wiped, unlike the bytes of ``withBytes(_:)``.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  /// Calls a body with the key's bytes, which are valid while it runs.
  public func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try secret.withBytes(body)
  }

  /// Whether two keys are the same.
  public static func == (first: SecretKey, second: SecretKey) -> Bool {
    first.secret.isEqual(to: second.secret)
  }

  /// Feeds the key to a hasher.
  public func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: $0) }
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The length of the key.
  public var description: String { "a key of \(withBytes(\.count)) bytes" }
  /// The length of the key.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Bytes that are overwritten after their last use, and compared in constant time.
///
/// They are written only before the object is shared, and in its deinitializer. So several
/// threads can read them safely.
final class SecretBytes: @unchecked Sendable {
  private let room: UnsafeMutableRawBufferPointer
  private let free: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// Copies some bytes; `free` releases the memory after it was wiped.
  init(
    _ bytes: some Collection<UInt8>,
    free: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void = { $0.deallocate() }
  ) {
    room = .allocate(byteCount: bytes.count, alignment: 1)
    room.copyBytes(from: bytes)
    self.free = free
  }

  deinit {
    if let start = room.baseAddress { Self.wipe(start, room.count) }
    free(room)
  }

  /// Calls a body with the bytes, which are valid while it runs.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    // Nothing else keeps the object alive while its bytes are read.
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(room)) }
  }

  /// Whether both have the same bytes.
  ///
  /// It compares all of them, wherever they differ.
  ///
  /// Different lengths are detected at once.
  func isEqual(to other: SecretBytes) -> Bool {
    withBytes { mine in
      other.withBytes { theirs in
        guard mine.count == theirs.count else { return false }
        var difference: UInt8 = 0
        for place in mine.indices { difference |= mine[place] ^ theirs[place] }
        return difference == 0
      }
    }
  }

  /// Overwrites memory with a call that the compiler can't remove, although nobody reads
  /// it.
  private static func wipe(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    _ = memset_s(start, count, 0, count)
    #else
    explicit_bzero(start, count)
    #endif
  }
}
