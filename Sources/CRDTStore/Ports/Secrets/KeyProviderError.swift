/// Why a key is not to be had.
public enum KeyProviderError: Error, Hashable, Sendable {
  /// It can't be read now, as while the device is locked: later it can.
  case locked
  /// The user or the system refused.
  case denied
  /// The place for keys failed.
  case failed(reason: String)
  /// The task was cancelled.
  case cancelled
}
