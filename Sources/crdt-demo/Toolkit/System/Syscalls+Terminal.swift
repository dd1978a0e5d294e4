#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

extension Syscalls {
  /// Lets a group of processes use the terminal in the place of this one, as to ask for a
  /// password; says whether it may now.
  package static func lendTerminal(to group: Int32) -> Bool {
    guard let terminal = try? openTerminal() else { return false }
    defer { closeDescriptor(terminal) }
    guard tcgetpgrp(terminal) == getpgrp(), setForeground(group, of: terminal) else {
      return false
    }
    // It may have been stopped for having used the terminal before.
    send(SIGCONT, to: -group)
    return true
  }

  /// Takes the terminal back that was lent.
  package static func takeTerminalBack() {
    guard let terminal = try? openTerminal() else { return }
    defer { closeDescriptor(terminal) }
    _ = setForeground(getpgrp(), of: terminal)
    // Others of this group may have wanted to use it meanwhile.
    send(SIGCONT, to: 0)
  }

  /// Ends this process as if it had been interrupted from the terminal.
  package static func endAsInterrupted() -> Never {
    signal(SIGINT, SIG_DFL)
    send(SIGINT, to: getpid())
    // Another thread may be the one that is ended, a moment later.
    sleep(milliseconds: 1_000)
    exitNow(128 + SIGINT)
  }

  private static func openTerminal() throws(Failure) -> Int32 {
    try retrying("open") { open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) }
  }

  private static func setForeground(_ group: Int32, of terminal: Int32) -> Bool {
    // Whoever isn't in the foreground is stopped for this, unless the signal is blocked.
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return tcsetpgrp(terminal, group) == 0
  }
}

extension Syscalls.Ending {
  /// Whether it was by an interrupt from the terminal.
  package var isInterrupt: Bool { self == .killed(signal: SIGINT) }
}
