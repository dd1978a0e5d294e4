import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

/// Set by the handler of a signal, which can do nothing else.
private let interruptCount = Atomic(0)

extension Syscalls {
  /// From now on, an interrupt (Ctrl-C) is noted; a second one ends the process.
  package static func noteInterrupts() {
    // Made now: a handler must not be what makes it.
    _ = interruptCount.load(ordering: .relaxed)
    signal(SIGINT) { _ in
      interruptCount.add(1, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
  }

  /// Whether the process was asked to end.
  package static var wasInterrupted: Bool { interruptCount.load(ordering: .relaxed) > 0 }
}
