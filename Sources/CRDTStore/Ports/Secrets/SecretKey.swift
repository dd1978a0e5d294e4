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
