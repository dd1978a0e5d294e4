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
