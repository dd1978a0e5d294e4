import Synchronization

/// A number that a closure leaves behind.
final class Version: Sendable {
  let value = Atomic<UInt64>(0)
}
