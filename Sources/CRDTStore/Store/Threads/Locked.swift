/// A value that one thread at a time may use.
///
/// The value is reached with the lock held only: so it is safe to share.
package final class Locked<Value>: @unchecked Sendable {
  private let monitor: Monitor
  private var value: Value

  /// Creates a value with its lock; `misuse` says what a body has done that asks for the lock.
  package init(
    _ value: Value,
    misuse: StaticString = "a body that uses a locked value must not ask for its lock again"
  ) {
    self.value = value
    monitor = Monitor(misuse: misuse)
  }

  /// Uses the value alone; the body must not wait, nor use the value's lock again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try monitor.withLock { () throws(Failure) in try body(&value) }
  }
}
