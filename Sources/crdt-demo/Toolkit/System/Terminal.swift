import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

/// The terminal at the standard input and output, while a program takes its keys one by one and
/// draws on the whole of it.
///
/// Signals that end the process restore the terminal first.
package enum Terminal {
  /// A signal that the terminal's program acts on.
  package enum Event {
    /// The terminal may have another size, or another program has used it.
    case changed
    /// The process was asked to end.
    case ended
  }

  /// The ends of a pipe into which signal handlers write; -1 before the terminal is taken.
  private static let reading = Atomic<Int32>(-1)
  private static let writing = Atomic<Int32>(-1)
  /// As the terminal was before: written before handlers read it, at a place that never moves.
  private nonisolated(unsafe) static let modes =
    UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private static let isTaken = Atomic(false)
  /// The signal that asked for the end.
  private static let ending = Atomic<Int32>(0)

  /// Shows another screen, on which lines don't wrap, and has pasted text marked.
  private static var beginning: StaticString { "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h" }
  private static var end: StaticString {
    "\u{1B}[0m\u{1B}[?25h\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l"
  }

  /// The descriptor at which there is something to read when there are events.
  package static var events: Int32 { reading.load(ordering: .relaxed) }

  /// Takes the terminal.
  package static func take() throws(CommandFailure) {
    guard Syscalls.isTerminal(0), Syscalls.isTerminal(1) else {
      throw CommandFailure("the standard input and output must be a terminal")
    }
    try Syscalls.reporting { () throws(Syscalls.Failure) in
      _ = try Syscalls.retrying("tcgetattr") { tcgetattr(0, modes) }
      let ends = try Syscalls.makePipe()
      for end in [ends.reading, ends.writing] { try Syscalls.setNonBlocking(end) }
      reading.store(ends.reading, ordering: .relaxed)
      // Made now: a handler must not be what makes them.
      writing.store(ends.writing, ordering: .relaxed)
      ending.store(0, ordering: .relaxed)
      isTaken.store(true, ordering: .sequentiallyConsistent)
      handleSignals()
      try setRaw()
    }
    write(beginning)
  }

  /// Gives the terminal back as it was.
  package static func giveBack() {
    guard isTaken.exchange(false, ordering: .sequentiallyConsistent) else { return }
    write(end)
    tcsetattr(0, TCSANOW, modes)
  }

  /// Ends the process if a signal has asked for that.
  package static func endIfAsked() {
    let number = ending.load(ordering: .sequentiallyConsistent)
    guard number != 0 else { return }
    ChildGroups.endAll()
    signal(number, SIG_DFL)
    Syscalls.send(number, to: getpid())
  }

  /// The events since the last call.
  package static func takeEvents() -> [Event] {
    var bytes: [UInt8] = []
    _ = try? Syscalls.read(events, onto: &bytes)
    if bytes.isEmpty { return [] }
    if ending.load(ordering: .sequentiallyConsistent) != 0 { return [.ended] }
    // After a stop, the shell has set its own modes.
    if isTaken.load(ordering: .sequentiallyConsistent) { try? setRaw() }
    return [.changed]
  }

  private static func setRaw() throws(Syscalls.Failure) {
    var raw = modes.pointee
    cfmakeraw(&raw)
    _ = try Syscalls.retrying("tcsetattr") { tcsetattr(0, TCSADRAIN, &raw) }
  }

  /// Writes without what a signal handler mustn't do.
  private static func write(_ text: StaticString) {
    var start = 0
    while start < text.utf8CodeUnitCount {
      let count = writeSome(text.utf8Start + start, text.utf8CodeUnitCount - start)
      guard count > 0 || errno == EINTR else { return }
      start += max(count, 0)
    }
  }

  private static func handleSignals() {
    for number in [SIGWINCH, SIGCONT] {
      signal(number) { _ in Terminal.note() }
    }
    for number in [SIGTERM, SIGHUP, SIGINT] {
      signal(number) { number in
        // A second one doesn't wait.
        if Terminal.ending.exchange(number, ordering: .sequentiallyConsistent) == 0 {
          Terminal.note()
        } else {
          Terminal.endNow(number)
        }
      }
    }
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      signal(number) { Terminal.endNow($0) }
    }
  }

  private static func note() {
    let code = errno
    var byte: UInt8 = 0
    _ = writeByte(writing.load(ordering: .relaxed), &byte)
    errno = code
  }

  private static func endNow(_ number: Int32) {
    giveBack()
    signal(number, SIG_DFL)
    Syscalls.send(number, to: getpid())
  }
}

// Functions of the system whose name ``Terminal`` takes.
private func writeSome(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
  write(STDOUT_FILENO, bytes, count)
}
private func writeByte(_ file: Int32, _ byte: UnsafePointer<UInt8>) -> Int { write(file, byte, 1) }
