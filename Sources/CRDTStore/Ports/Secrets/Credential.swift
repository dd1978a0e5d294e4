/// What a server knows the user by, which neither descriptions nor mirrors show.
///
/// Two are compared byte by byte, in a time that tells nothing of where they differ. When nobody
/// has the credential any more, its bytes are overwritten; texts that were made of them, as by
/// ``secret``, can't be, nor can the one that it was made from.
public struct Credential: Hashable, Sendable {
  private let stored: SecretBytes

  /// Creates a credential.
  public init(_ secret: String) {
    stored = SecretBytes(secret.utf8)
  }

  /// What is sent to the server, as a token: not for logs.
  public var secret: String { stored.withBytes { String(decoding: $0, as: UTF8.self) } }

  /// Whether two credentials are the same.
  public static func == (first: Credential, second: Credential) -> Bool {
    first.stored.isEqual(to: second.stored)
  }

  /// Feeds the credential to a hasher.
  public func hash(into hasher: inout Hasher) {
    stored.withBytes { hasher.combine(bytes: $0) }
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
