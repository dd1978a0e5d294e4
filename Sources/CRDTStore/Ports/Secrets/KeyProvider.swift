#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Keeps keys where the platform keeps secrets: a keychain or keystore.
///
/// Contract:
/// - A name that has no key is no error: it is `nil`.
/// - Of one name there is one key: when several make one at once, all get the same,
///   and it is kept before any of them gets it.
/// - A key that is there is never replaced. Where it has another length than was asked for,
///   that is ``KeyProviderError/otherLength(byteCount:)``: it may be the only one that opens
///   what was sealed.
/// - Keys outlive the process. A removed one can't be had again.
/// - It may be asked from any task, ends soon when that is cancelled, and may ask the
///   user, so it may take long. It never makes up a key because one can't be read.
public protocol KeyProvider: Sendable {
  /// The key of a name; `nil` if there is none.
  func key(named name: String) async throws(KeyProviderError) -> SecretKey?

  /// The key of a name, which has so many bytes; where there is none, one of random bytes is
  /// made.
  func makeKey(named name: String, byteCount: Int) async throws(KeyProviderError) -> SecretKey

  /// Removes the key of a name, if there is one.
  func removeKey(named name: String) async throws(KeyProviderError)
}

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

/// Why a key is not to be had.
public enum KeyProviderError: Error, Hashable, Sendable {
  /// It can't be read now, as while the device is locked: later it can.
  case locked
  /// The user or the system refused.
  case denied
  /// The place for keys failed.
  case failed(reason: String)
  /// There is a key of the name, and it has so many bytes rather than those that were asked for.
  case otherLength(byteCount: Int)
  /// The task was cancelled.
  case cancelled
}

/// The bytes of a key, which neither descriptions nor mirrors show.
///
/// Two are compared in a time that tells nothing of where they differ. When nobody has the key
/// any more, its bytes are overwritten; copies that were made of them, as by ``bytes``, are not,
/// and neither is the array that it was made from.
public struct SecretKey: Hashable, Sendable {
  private let secret: SecretBytes

  /// Creates a key of its bytes.
  public init(_ bytes: [UInt8]) {
    secret = SecretBytes(bytes)
  }

  /// A copy of the key itself: not for logs, and not wiped, as what ``withBytes(_:)`` gives is.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  /// The key itself, as long as the body runs.
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
  /// How long it is.
  public var description: String { "a key of \(withBytes(\.count)) bytes" }
  /// How long it is.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Bytes that are overwritten when nobody has them any more, and compared in a time that says
/// nothing of them.
///
/// They are written before the object is shared, and not again before nobody has it: so it is
/// safe to be read by several.
final class SecretBytes: @unchecked Sendable {
  private let room: UnsafeMutableRawBufferPointer
  private let free: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// Copies some bytes; `free` gives the room back, which is wiped then.
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

  /// The bytes, as long as the body runs.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    // Nothing else would keep the object while its bytes are read.
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(room)) }
  }

  /// Whether two have the same bytes: all are looked at, wherever they differ.
  ///
  /// That they have not the same length is found out at once.
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

  /// Overwrites memory by a call that the compiler can't leave out, though nobody reads it.
  private static func wipe(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    _ = memset_s(start, count, 0, count)
    #else
    explicit_bzero(start, count)
    #endif
  }
}
