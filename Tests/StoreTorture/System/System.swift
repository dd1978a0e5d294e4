#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

/// The calls of the system that are made here.
enum System {
  /// A call that failed, and why.
  struct Failure: Error, CustomStringConvertible {
    var call: String
    var code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  /// A write to what nobody reads is an error, no end.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Lets a write beyond the limit of a file's size fail, instead of ending the
  /// process.
  static func failBeyondSizeLimit() {
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Lets the process take no more memory than that.
  static func limitMemory(bytes: Int) {
    #if canImport(Glibc)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    #endif
  }

  static func check<Result: FixedWidthInteger>(
    _ call: String, _ result: Result
  ) throws(Failure) -> Result {
    guard result != -1 else { throw Failure(call: call, code: errno) }
    return result
  }

  static func exitNow(_ status: Int32) -> Never {
    _exit(status)
  }

  /// Writes a line to standard error, in one call.
  static func report(_ line: String) {
    write(line + "\n", to: STDERR_FILENO)
  }

  /// Writes a line to standard output, in one call.
  static func say(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    _ = Array(text.utf8).withUnsafeBytes { bytes in
      #if canImport(Darwin)
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
      #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
      #else
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      #endif
    }
  }

  static func pause(microseconds: UInt32) {
    usleep(microseconds)
  }

  /// A number that is another one in each run.
  static func anySeed() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next() >> 32
  }

  /// Seconds since some moment.
  static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static var isRoot: Bool { geteuid() == 0 }

  /// The path of this very program.
  static var program: String {
    #if os(Linux)
    // Not the link itself, which in a child leads to the child's program.
    if let path = realpath("/proc/self/exe", nil) {
      defer { free(path) }
      return String(cString: path)
    }
    #endif
    return CommandLine.arguments[0]
  }

  /// Runs a body on a thread of its own.
  static func startThread(_ body: @escaping @Sendable () -> Void) throws(Failure) {
    let box = Unmanaged.passRetained(Body(run: body))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, nil, threadRoutine, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw Failure(call: "pthread_create", code: code)
    }
  }

  #if canImport(Darwin)
  private static let threadRoutine:
    @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { body in
      Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
      return nil
    }
  #else
  private static let threadRoutine:
    @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
      if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
      return nil
    }
  #endif

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }
}

extension System {
  /// Something that went wrong beside the store.
  struct Trouble: Error, CustomStringConvertible {
    var description: String
  }
}
