import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

// Functions of the system whose names ``Syscalls`` takes.
private func readSome(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, bytes, count)
}
private func writeSome(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}
private func renameFile(_ old: String, _ new: String) -> Int32 { rename(old, new) }

/// System calls with typed errors.
///
/// Interrupted calls are repeated.
package enum Syscalls {
  /// A call that failed, and why.
  package struct Failure: Error {
    package var call: String
    package var code: Int32

    package init(call: String, code: Int32) {
      (self.call, self.code) = (call, code)
    }

    package var trouble: CommandFailure { CommandFailure("\(call): \(reason)") }

    /// The system's description of this error.
    package var reason: String { String(cString: strerror(code)) }
  }

  /// What there is to do with a descriptor.
  package struct Readiness {
    package var canRead: Bool
    package var canWrite: Bool

    package init(canRead: Bool, canWrite: Bool) {
      (self.canRead, self.canWrite) = (canRead, canWrite)
    }
  }

  /// Runs a body; a failed call of it is a failure of the command.
  package static func reporting<Result>(
    _ body: () throws(Failure) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(Failure) { return try body() } catch { throw error.trouble }
  }

  /// Repeats a call until it is not interrupted.
  package static func retrying<Result: FixedWidthInteger>(
    _ name: String, _ call: () -> Result
  ) throws(Failure) -> Result {
    while true {
      let result = call()
      if result != -1 { return result }
      let code = errno
      if code != EINTR { throw Failure(call: name, code: code) }
    }
  }

  /// Readies the process: writing to a closed pipe is an error, not the end; the
  /// three standard descriptors are taken, so that no pipe gets their numbers.
  package static func prepareProcess() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    var descriptor: Int32 = 0
    while descriptor >= 0, descriptor <= STDERR_FILENO {
      descriptor = open("/dev/null", O_RDONLY)
    }
    if descriptor > STDERR_FILENO { close(descriptor) }
  }

  /// Is held while a descriptor is made that mustn't be handed down and while a program is
  /// started: Swift's modules of the C libraries don't have `pipe2`.
  static let handingDown = Mutex(())

  /// A pipe whose ends other programs don't inherit.
  package static func makePipe() throws(Failure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let failure = handingDown.withLock { _ -> Failure? in
      do throws(Failure) {
        _ = try retrying("pipe") { pipe(&ends) }
        for end in ends { _ = try retrying("fcntl") { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    return (ends[0], ends[1])
  }

  /// Makes reading and writing non-blocking.
  package static func setNonBlocking(_ descriptor: Int32) throws(Failure) {
    let flags = try retrying("fcntl") { fcntl(descriptor, F_GETFL) }
    _ = try retrying("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  package static func openForReading(_ path: String) throws(Failure) -> Int32 {
    try retrying("open") { open(path, O_RDONLY | O_CLOEXEC) }
  }

  package static func openForWriting(_ path: String) throws(Failure) -> Int32 {
    try retrying("open") { open(path, O_WRONLY | O_CLOEXEC) }
  }

  package static func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
  }

  /// Reads some bytes onto the end of an array: how many, 0 at the end, `nil` if
  /// there are none yet.
  package static func read(
    _ descriptor: Int32, onto bytes: inout [UInt8], max: Int = 1 << 16
  ) throws(Failure) -> Int? {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: max, alignment: 1)
    defer { room.deallocate() }
    do throws(Failure) {
      let count = try retrying("read") { readSome(descriptor, room.baseAddress, max) }
      bytes.append(contentsOf: room[..<count])
      return count
    } catch {
      guard error.code == EAGAIN else { throw error }
      return nil
    }
  }

  /// Writes some of the bytes.
  ///
  /// Returns their number, which is 0 if there is no room yet.
  package static func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws(Failure) -> Int
  {
    do throws(Failure) {
      return try retrying("write") {
        bytes.withUnsafeBytes { writeSome(descriptor, $0.baseAddress, $0.count) }
      }
    } catch {
      guard error.code == EAGAIN else { throw error }
      return 0
    }
  }

  /// Waits until a descriptor is ready, or the time limit is over.
  package static func wait(
    reading: [Int32], writing: [Int32] = [], milliseconds: Int
  ) throws(Failure) -> [Readiness] {
    var polls = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    polls += writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    let count = poll(&polls, nfds_t(polls.count), Int32(clamping: milliseconds))
    if count == -1, errno != EINTR { throw Failure(call: "poll", code: errno) }
    let ready = polls.map { count > 0 && $0.revents != 0 }
    return ready.enumerated().map { place, isReady in
      let isRead = place < reading.count
      return Readiness(canRead: isRead && isReady, canWrite: !isRead && isReady)
    }
  }

  /// Processor time that this process has used, in microseconds.
  package static var processorMicroseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}

extension Syscalls {
  /// The metadata of a file that is not opened.
  package struct FileFacts {
    package var isRegular: Bool
    /// Who may do what with it, as `chmod` takes it.
    package var permissions: UInt32
  }

  /// The metadata of a file; `nil` if it does not exist.
  package static func facts(of path: String) throws(Failure) -> FileFacts? {
    var facts = stat()
    if stat(path, &facts) == 0 {
      return FileFacts(
        isRegular: facts.st_mode & S_IFMT == S_IFREG, permissions: UInt32(facts.st_mode & 0o7777))
    }
    guard errno == ENOENT else { throw Failure(call: "stat", code: errno) }
    return nil
  }

  /// The path of a file without links, `.` and `..`; `nil` if there is no such file.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Makes a file that wasn't there: for its owner only, or for whom the system's usual
  /// permissions let read it.
  package static func create(_ path: String, isUsual: Bool = false) throws(Failure) -> Int32 {
    try retrying("open") {
      open(
        path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isUsual ? 0o666 : 0o600)
    }
  }

  /// Makes a file, or empties the one there is; whoever may read it is up to the
  /// system's usual permissions.
  package static func openEmpty(_ path: String) throws(Failure) -> Int32 {
    try retrying("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
  }

  package static func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(Failure) {
    _ = try retrying("fchmod") { fchmod(descriptor, mode_t(truncatingIfNeeded: permissions)) }
  }

  /// Makes written bytes durable after a power cut.
  package static func synchronize(_ descriptor: Int32) throws(Failure) {
    _ = try retrying("fsync") { fsync(descriptor) }
  }

  package static func rename(_ old: String, to new: String) throws(Failure) {
    _ = try retrying("rename") { renameFile(old, new) }
  }

  /// Creates a folder for its owner only.
  ///
  /// Returns whether it is new.
  package static func makeFolder(_ path: String) throws(Failure) -> Bool {
    do throws(Failure) {
      _ = try retrying("mkdir") { mkdir(path, 0o700) }
      return true
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
  }

  /// Whether a folder is empty.
  package static func isEmptyFolder(_ path: String) throws(Failure) -> Bool {
    guard let folder = opendir(path) else { throw Failure(call: "opendir", code: errno) }
    defer { closedir(folder) }
    // Itself and the folder around it are always there.
    for _ in 0..<2 where readdir(folder) == nil { return true }
    return readdir(folder) == nil
  }

  /// Removes a file, if it exists.
  package static func remove(_ path: String) {
    unlink(path)
  }
}

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
