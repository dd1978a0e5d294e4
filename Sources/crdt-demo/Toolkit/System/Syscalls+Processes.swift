import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

// The name is taken in ``Syscalls``.
private func sendSignal(_ signal: Int32, to process: Int32) { _ = kill(process, signal) }

extension Syscalls {
  /// How a process ended.
  package enum Ending: Equatable {
    case exited(status: Int32)
    case killed(signal: Int32)
  }

  /// Starts a program whose standard input, output and error are the given
  /// descriptors, and that gets no other one.
  ///
  /// It takes signals as programs usually do, whatever this one does with them. With
  /// `isGroup` it leads a group of its own, which is ended with this process: see
  /// ``ChildGroups``.
  package static func spawn(
    _ path: String, arguments: [String], input: Int32, output: Int32,
    errors: Int32 = STDERR_FILENO, isGroup: Bool = true
  ) throws(Failure) -> Int32 {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    let environment = _NSGetEnviron().pointee
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    let environment = environ
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #if canImport(Darwin)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    if isGroup { flags |= POSIX_SPAWN_SETPGROUP }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var process: pid_t = 0
    let code = handingDown.withLock { _ in
      posix_spawn(&process, path, &actions, &attributes, words, environment)
    }
    guard code == 0 else { throw Failure(call: "posix_spawn \(path)", code: code) }
    if isGroup { ChildGroups.add(process) }
    return process
  }

  /// Starts a program on two pipes, and returns this process's ends of them, which don't block:
  /// of the pipe from it, and of the pipe to it.
  package static func spawnOnPipes(
    _ path: String, arguments: [String]
  ) throws(Failure) -> (process: Int32, reading: Int32, writing: Int32) {
    let input = try makePipe()
    var ends = [input.reading, input.writing]
    do throws(Failure) {
      let output = try makePipe()
      ends += [output.reading, output.writing]
      for end in [output.reading, input.writing] { try setNonBlocking(end) }
      let process = try spawn(
        path, arguments: arguments, input: input.reading, output: output.writing)
      for end in [input.reading, output.writing] { closeDescriptor(end) }
      return (process, output.reading, input.writing)
    } catch {
      for end in ends { closeDescriptor(end) }
      throw error
    }
  }

  /// Waits for the end of the process; `nil` if it has not ended after that time.
  package static func awaitEnd(of process: Int32, milliseconds: Int) -> Ending? {
    var left = milliseconds
    while true {
      do throws(Failure) {
        if let ending = try reap(process) { return ending }
      } catch {
        return nil
      }
      if left <= 0 { return nil }
      sleep(milliseconds: min(left, 4))
      left -= 4
    }
  }

  /// The end of the process; `nil` if it has not ended.
  ///
  /// A process that has ended is reaped: its number must not be used again. If it led a
  /// group, what it has left running is asked to end.
  package static func reap(_ process: Int32) throws(Failure) -> Ending? {
    // Until it is reaped, the number of its group is not another's.
    var ended = siginfo_t()
    _ = try retrying("waitid") {
      waitid(P_PID, id_t(process), &ended, WEXITED | WNOHANG | WNOWAIT)
    }
    guard ended.si_signo != 0 else { return nil }
    ChildGroups.remove(process)
    var status: Int32 = 0
    _ = try retrying("waitpid") { waitpid(process, &status, 0) }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status: status >> 8 & 0xFF) : .killed(signal: signal)
  }

  /// Ends a process at once.
  package static func kill(_ process: Int32) {
    send(SIGKILL, to: process)
  }

  /// Ends a group of processes: they have a moment to do so by themselves.
  package static func endGroup(_ group: Int32) {
    ChildGroups.end(group)
  }

  /// Suspends a process until it is resumed.
  package static func halt(_ process: Int32) {
    send(SIGSTOP, to: process)
  }

  /// Resumes a suspended process.
  package static func resume(_ process: Int32) {
    send(SIGCONT, to: process)
  }

  package static func send(_ signal: Int32, to process: Int32) {
    sendSignal(signal, to: process)
  }

  /// Ends this process by SIGKILL, as if from outside.
  package static func killSelf() {
    kill(getpid())
  }

  package static func sleep(milliseconds: Int) {
    poll(nil, 0, Int32(clamping: milliseconds))
  }

  /// Ends this process, and the programs that it started with it.
  package static func exitNow(_ status: Int32) -> Never {
    ChildGroups.endAll()
    exit(status)
  }

  /// The path of this very program.
  package static var executablePath: String {
    #if canImport(Darwin)
    var size = UInt32(PATH_MAX)
    var path = [CChar](repeating: 0, count: Int(size))
    if _NSGetExecutablePath(&path, &size) == 0 {
      return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    #else
    if access("/proc/self/exe", X_OK) == 0 { return "/proc/self/exe" }
    #endif
    return CommandLine.arguments.first ?? "crdt-demo"
  }

  /// Makes the terminal that the process was started from its standard input and output.
  ///
  /// Returns other descriptors of what these were, which no program gets that is started.
  package static func exchangeStreamsForTerminal() throws(Failure) -> (
    reading: Int32, writing: Int32
  ) {
    let terminal = try retrying("open /dev/tty") {
      open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    }
    defer { closeDescriptor(terminal) }
    let ends = (
      reading: try retrying("fcntl") { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) },
      writing: try retrying("fcntl") { fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) }
    )
    for standard in [STDIN_FILENO, STDOUT_FILENO] {
      _ = try retrying("dup2") { dup2(terminal, standard) }
    }
    return ends
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// How many columns and rows a terminal has; `nil` where that is unknown.
  package static func terminalSize(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// The value of an environment variable.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension Syscalls.Ending {
  /// Whether it was by SIGKILL.
  package var isKill: Bool { self == .killed(signal: SIGKILL) }
}

extension Syscalls.Ending: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let status): "exited with status \(status)"
    case .killed(let signal): "was ended by signal \(signal) (\(Self.name(of: signal)))"
    }
  }

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL",
      SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
      SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGTERM: "SIGTERM",
      SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
    ]
    return names[signal] ?? String(cString: strsignal(signal))
  }
}

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
