/// A value that one thread at a time may use.
///
/// The value is reached with the lock held only: so it is safe to share.
package final class Locked<Value>: @unchecked Sendable {
  private let monitor = Monitor()
  private var value: Value

  package init(_ value: Value) {
    self.value = value
  }

  /// Uses the value alone; the body must not wait, nor use the value's lock again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try monitor.withLock { () throws(Failure) in try body(&value) }
  }
}
