#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A lock, and two bells for those who wait for a change of what it guards.
///
/// Whoever asks for the lock while holding it is stopped, and told what is wrong: it would
/// wait for itself. A write's body leaves the store as it is, and may read it.
final class Monitor: @unchecked Sendable {
  /// What somebody waits for.
  enum Bell: Int, CaseIterable {
    /// That there is something to do.
    case work
    /// That something is done.
    case done
  }

  // All are made before the monitor is seen by a second thread, and never moved.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let bells: UnsafeMutablePointer<pthread_cond_t>
  private let misuse: StaticString

  // Only who holds the lock looks at these.

  /// Whether who holds the lock may ask for it again.
  private(set) var allowsReads = false
  /// How often they have.
  private var readDepth = 0

  /// Creates a lock; `misuse` says what was done by a thread that asks for it while holding it.
  init(misuse: StaticString = "a lock is asked for by the thread that holds it") {
    self.misuse = misuse
    mutex = .allocate(capacity: 1)
    bells = .allocate(capacity: Bell.allCases.count)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    // Waiting for a while must not depend on the time of day, which may be set.
    var timing = pthread_condattr_t()
    pthread_condattr_init(&timing)
    #if !canImport(Darwin)
    pthread_condattr_setclock(&timing, CLOCK_MONOTONIC)
    #endif
    for bell in Bell.allCases { pthread_cond_init(bells + bell.rawValue, &timing) }
    pthread_condattr_destroy(&timing)
  }

  deinit {
    for bell in Bell.allCases { pthread_cond_destroy(bells + bell.rawValue) }
    pthread_mutex_destroy(mutex)
    bells.deallocate()
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

  /// Runs a body that may read what the lock guards, as from elsewhere, while it is held.
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

  /// Gives the lock up until a bell rings, or for no reason.
  func wait(for bell: Bell) {
    checkWait()
    pthread_cond_wait(bells + bell.rawValue, mutex)
  }

  /// Gives the lock up until a bell rings, for no longer than some milliseconds.
  func wait(for bell: Bell, milliseconds: Int) {
    checkWait()
    #if canImport(Darwin)
    var span = timespec(
      tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    pthread_cond_timedwait_relative_np(bells + bell.rawValue, mutex, &span)
    #else
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = Int(end.tv_nsec) + milliseconds % 1_000 * 1_000_000
    end.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    pthread_cond_timedwait(bells + bell.rawValue, mutex, &end)
    #endif
  }

  private func checkWait() {
    precondition(!allowsReads, "the body of a write must not wait for its store")
  }

  /// Rings a bell.
  func ring(_ bell: Bell) {
    pthread_cond_broadcast(bells + bell.rawValue)
  }
}

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
