#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

/// A process that was started here.
struct Child {
  /// How a process ended.
  enum Ending: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  let process: pid_t
  /// The words that started it.
  let words: [String]

  /// Starts a program, found as a shell finds it, with standard output and error
  /// in a file if one is given.
  static func start(_ words: [String], output: Int32? = nil) throws(System.Failure) -> Child {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    let environment = _NSGetEnviron().pointee
    #else
    var actions = posix_spawn_file_actions_t()
    let environment = environ
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, nil, arguments, environment)
    guard code == 0 else { throw System.Failure(call: "posix_spawn \(words[0])", code: code) }
    return Child(process: process, words: words)
  }

  func send(_ signal: Int32) {
    kill(process, signal)
  }

  /// Waits until the process has ended.
  @discardableResult
  func wait() throws(System.Failure) -> Ending {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 {
      guard errno == EINTR else { throw System.Failure(call: "waitpid", code: errno) }
    }
    return Self.ending(of: status)
  }

  /// Waits no longer than some time; `nil` where the process goes on.
  func wait(milliseconds: Int) throws(System.Failure) -> Ending? {
    let end = System.seconds + Double(milliseconds) / 1_000
    while true {
      var status: Int32 = 0
      let result = waitpid(process, &status, WNOHANG)
      if result == process { return Self.ending(of: status) }
      if result == -1, errno != EINTR { throw System.Failure(call: "waitpid", code: errno) }
      if System.seconds >= end { return nil }
      usleep(300)
    }
  }

  /// Stops all threads of the process, and waits until they have: none of them is
  /// within a call of the system then.
  ///
  /// - Returns: How it ended, where it had ended already.
  func stop() throws(System.Failure) -> Ending? {
    kill(process, SIGSTOP)
    var status: Int32 = 0
    while waitpid(process, &status, WUNTRACED) == -1 {
      guard errno == EINTR else { throw System.Failure(call: "waitpid", code: errno) }
    }
    return status & 0xFF == 0x7F ? nil : Self.ending(of: status)
  }

  func resume() {
    kill(process, SIGCONT)
  }

  /// Ends the process at once.
  func killNow() throws(System.Failure) -> Ending {
    kill(process, SIGKILL)
    return try wait()
  }

  private static func ending(of status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}

extension Child {
  /// Runs a program to its end; gives what it wrote.
  @discardableResult
  static func run(_ words: String..., allowing allowed: Set<Int32> = [0]) throws -> String {
    let path = "\(temporaryFolder)/crdt-torture.output.\(getpid())"
    let output = try Files.openForWriting(path)
    defer {
      Files.close(output)
      Files.remove(path)
    }
    let ending = try start(words, output: output).wait()
    let text = Files.text(of: path)
    guard case .exited(let status) = ending, allowed.contains(status) else {
      throw CommandFailure(words: words, ending: ending, output: text)
    }
    return text
  }

  /// Whether there is a program of a name.
  static func has(_ program: String) -> Bool {
    (try? run("sh", "-c", "command -v \(program) >/dev/null")) != nil
  }

  /// Where temporary files go.
  static var temporaryFolder: String {
    getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// A program that failed.
  struct CommandFailure: Error, CustomStringConvertible {
    var words: [String]
    var ending: Ending
    var output: String

    var description: String { "\(words.joined(separator: " ")): \(ending)\n\(output)" }
  }
}
