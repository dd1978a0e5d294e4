/// What a server knows the user by, which neither descriptions nor mirrors show.
public struct Credential: Hashable, Sendable {
  /// What is sent to the server, as a token: not for logs.
  public let secret: String

  /// Creates a credential.
  public init(_ secret: String) {
    self.secret = secret
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// That it is one.
  public var description: String { "a credential" }
  /// That it is one.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
