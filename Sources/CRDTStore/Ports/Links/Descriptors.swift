#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// System calls on stream descriptors.
enum Descriptors {
  /// The number of bytes that a pipe takes without blocking once it is writable.
  static var writeMax: Int { Int(PIPE_BUF) }

  /// Creates a stream within the process, which child processes don't inherit.
  ///
  /// This holds from the start, even if another thread starts a child process at that
  /// moment. Swift's modules of Linux's C libraries lack `pipe2`, but a pair of sockets
  /// serves as well. Darwin has neither: a child that starts between two calls inherits the
  /// stream, unless it is started with `POSIX_SPAWN_CLOEXEC_DEFAULT`.
  static func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
    guard pipe(&ends) == 0 else { throw SystemError("pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #else
    guard socketpair(AF_UNIX, streamKind, 0, &ends) == 0 else {
      throw SystemError("socketpair", code: errno)
    }
    #endif
    return (ends[0], ends[1])
  }

  #if canImport(Glibc)
  private static let streamKind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  #elseif canImport(Musl)
  private static let streamKind = SOCK_STREAM | SOCK_CLOEXEC
  #endif

  static func close(_ descriptor: Int32) {
    systemClose(descriptor)
  }

  /// Waits until a descriptor is ready, another one is readable, or the time limit, if any,
  /// is over.
  ///
  /// - Returns: Whether each descriptor is ready.
  static func wait(
    for descriptor: Int32, toWrite: Bool, orFor waker: Int32 = -1, milliseconds: Int32 = -1
  ) throws(SystemError) -> (isReady: Bool, isWoken: Bool) {
    var polled = [
      pollfd(fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0),
      pollfd(fd: waker, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      if poll(&polled, 2, milliseconds) >= 0 {
        return (polled[0].revents != 0, polled[1].revents != 0)
      }
      guard errno == EINTR else { throw SystemError("poll", code: errno) }
    }
  }

  /// Reads the available bytes: `nil` if there are none, an empty array at the end.
  static func readSome(from descriptor: Int32, max: Int) throws(SystemError) -> [UInt8]? {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: max) { room, filled in
      let count = read(descriptor, room.baseAddress, max)
      if count < 0 { code = errno } else { filled = count }
    }
    if code == EINTR || code == EAGAIN { return nil }
    if code != 0 { throw SystemError("read", code: code) }
    return bytes
  }

  /// Writes some bytes, and returns their number.
  static func writeSome(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32
  ) throws(SystemError) -> Int {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    if errno == EINTR || errno == EAGAIN { return 0 }
    throw SystemError("write", code: errno)
  }

  /// Writes all bytes, without the signal `SIGPIPE` for a closed stream; returns whether it
  /// could.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    withoutBrokenPipeSignal(descriptor) { () throws(SystemError) in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = try writeSome(rest, to: descriptor)
        rest = rest.dropFirst(count)
        // Wait a moment for a non-blocking descriptor, such as a terminal's.
        if count == 0, try !wait(for: descriptor, toWrite: true, milliseconds: 1_000).isReady {
          throw SystemError("write", code: EAGAIN)
        }
      }
    }
  }
}

extension Descriptors {
  /// Prevents `SIGPIPE` on a thread, so that the call reports an error instead.
  static func refuseBrokenPipeSignal(_ descriptor: Int32) {
    #if canImport(Darwin)
    // On Darwin the signal goes to the process, but can be disabled for each descriptor.
    _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
    #else
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    #endif
  }

  private static func withoutBrokenPipeSignal(
    _ descriptor: Int32, _ body: () throws(SystemError) -> Void
  ) -> Bool {
    #if canImport(Darwin)
    refuseBrokenPipeSignal(descriptor)
    return (try? body()) != nil
    #else
    var (signals, before, waiting) = (sigset_t(), sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    sigpending(&waiting)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    do throws(SystemError) {
      try body()
      return true
    } catch {
      // The signal is pending for this thread. If it was pending before, this call did not
      // cause it.
      if error.code == EPIPE, sigismember(&waiting, SIGPIPE) == 0 {
        var moment = timespec()
        sigtimedwait(&signals, nil, &moment)
      }
      return false
    }
    #endif
  }
}

extension SystemError {
  /// Whether the reader of the stream is gone.
  var isBrokenPipe: Bool { code == EPIPE || code == ECONNRESET }
}

// Inside the methods above, this name would refer to the method itself.
private func systemClose(_ descriptor: Int32) {
  close(descriptor)
}
