/// Why bytes could not be sealed or opened.
public enum SealingError: Error, Hashable, Sendable {
  /// The bytes are not what was sealed with this key and this context.
  case notAuthentic
  /// The key isn't to be had.
  case key(KeyProviderError)
  /// Something else went wrong.
  case failed(reason: String)
}
