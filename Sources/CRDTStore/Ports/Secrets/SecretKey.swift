/// The bytes of a key, which neither descriptions nor mirrors show.
public struct SecretKey: Hashable, Sendable {
  /// The key itself: not for logs.
  public let bytes: [UInt8]

  /// Creates a key of its bytes.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How long it is.
  public var description: String { "a key of \(bytes.count) bytes" }
  /// How long it is.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
