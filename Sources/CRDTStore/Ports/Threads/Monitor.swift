#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A mutex with two condition variables.
///
/// A thread that requests the lock while it holds it would wait for itself, so it traps
/// with a message. The body of a write must not change the store, but may read it.
final class Monitor: @unchecked Sendable {
  /// A condition that threads wait for.
  enum Condition: Int, CaseIterable {
    /// There is work to do.
    case work
    /// Some work is done.
    case done
  }

  // All are initialized before a second thread can see the monitor, and never moved.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let conditions: UnsafeMutablePointer<pthread_cond_t>
  private let misuse: StaticString

  // Only the holder of the lock accesses these.

  /// Whether the holder of the lock may request it again.
  private(set) var allowsReads = false
  /// How many nested requests there are.
  private var readDepth = 0

  /// Creates a lock; `misuse` is the message for a thread that requests it while holding
  /// it.
  init(misuse: StaticString = "a lock is asked for by the thread that holds it") {
    self.misuse = misuse
    mutex = .allocate(capacity: 1)
    conditions = .allocate(capacity: Condition.allCases.count)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    // A timed wait must not depend on the time of day, which may be set.
    var timing = pthread_condattr_t()
    pthread_condattr_init(&timing)
    #if !canImport(Darwin)
    pthread_condattr_setclock(&timing, CLOCK_MONOTONIC)
    #endif
    for condition in Condition.allCases {
      pthread_cond_init(conditions + condition.rawValue, &timing)
    }
    pthread_condattr_destroy(&timing)
  }

  deinit {
    for condition in Condition.allCases { pthread_cond_destroy(conditions + condition.rawValue) }
    pthread_mutex_destroy(mutex)
    conditions.deallocate()
    mutex.deallocate()
  }

  func lock() {
    if pthread_mutex_lock(mutex) == 0 { return }
    precondition(allowsReads, "\(misuse)")
    readDepth += 1
  }

  func unlock() {
    if readDepth > 0 {
      readDepth -= 1
    } else {
      pthread_mutex_unlock(mutex)
    }
  }

  /// Runs a body that may read the guarded state while the lock is held.
  func allowingReads<Result>(_ body: () throws -> Result) rethrows -> Result {
    allowsReads = true
    defer { allowsReads = false }
    return try body()
  }

  func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Releases the lock until a condition is signalled, or until a spurious wakeup.
  func wait(for condition: Condition) {
    checkWait()
    pthread_cond_wait(conditions + condition.rawValue, mutex)
  }

  /// Releases the lock until a condition is signalled, for at most some milliseconds.
  func wait(for condition: Condition, milliseconds: Int) {
    checkWait()
    #if canImport(Darwin)
    var span = timespec(
      tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    pthread_cond_timedwait_relative_np(conditions + condition.rawValue, mutex, &span)
    #else
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = Int(end.tv_nsec) + milliseconds % 1_000 * 1_000_000
    end.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    pthread_cond_timedwait(conditions + condition.rawValue, mutex, &end)
    #endif
  }

  private func checkWait() {
    precondition(!allowsReads, "the body of a write must not wait for its store")
  }

  /// Wakes the threads that wait for a condition.
  func signal(_ condition: Condition) {
    pthread_cond_broadcast(conditions + condition.rawValue)
  }
}

/// A value that one thread at a time may use.
///
/// The value is only accessed with the lock held, so it is safe to share.
package final class Locked<Value>: @unchecked Sendable {
  private let monitor: Monitor
  private var value: Value

  /// Creates a value with its lock; `misuse` is the message for a body that requests the
  /// lock again.
  package init(
    _ value: Value,
    misuse: StaticString = "a body that uses a locked value must not ask for its lock again"
  ) {
    self.value = value
    monitor = Monitor(misuse: misuse)
  }

  /// Runs a body with exclusive access to the value.
  ///
  /// It must not wait, nor use the value's lock again.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try monitor.withLock { () throws(Failure) in try body(&value) }
  }
}
