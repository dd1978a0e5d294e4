import Toolkit

/// A child process and the parent's ends of its two pipes.
struct ChildProcess {
  /// How long a child may take to exit after its pipes are closed.
  private static let endingMilliseconds = 2_000

  private let process: Int32
  private(set) var ending: Syscalls.Ending?
  /// The pipe from the child, or -1 when it is closed.
  private(set) var reading: Int32
  /// The pipe to the child, or -1 when it is closed.
  private(set) var writing: Int32
  private var frames = FrameBuffer()
  private var waiting: [UInt8] = []
  private var waitingStart = 0

  /// Starts a program.
  init(path: String, arguments: [String]) throws(Syscalls.Failure) {
    (process, reading, writing) = try Syscalls.spawnOnPipes(path, arguments: arguments)
  }

  /// Whether unwritten bytes are queued.
  var hasWaiting: Bool { writing >= 0 && waitingStart < waiting.count }

  /// The number of queued bytes.
  var waitingCount: Int { waiting.count - waitingStart }

  /// Whether the child has stopped in the middle of a message.
  var isPartial: Bool { frames.isPartial }

  /// Queues a frame.
  mutating func enqueue(_ frame: [UInt8]) {
    if waitingStart == waiting.count { dropWritten() }
    waiting += frame
  }

  /// Writes as many queued bytes as there is room for.
  ///
  /// A child that no longer reads has ended or soon will. That is detected after its last
  /// output was read, so it is ignored here.
  mutating func flush() {
    while hasWaiting {
      guard let count = try? Syscalls.write(writing, waiting[waitingStart...]) else {
        Syscalls.closeDescriptor(writing)
        writing = -1
        return
      }
      if count == 0 { break }
      waitingStart += count
    }
    if waitingStart == waiting.count || waitingStart > 1 << 20 { dropWritten() }
  }

  private mutating func dropWritten() {
    waiting.removeFirst(waitingStart)
    waitingStart = 0
  }

  /// Reads the available bytes.
  ///
  /// Returns `false` at the end of the child's output.
  mutating func fill() throws(Syscalls.Failure) -> Bool {
    let count = try frames.append { (bytes) throws(Syscalls.Failure) in
      try Syscalls.read(reading, onto: &bytes)
    }
    return count != 0
  }

  /// The next complete message.
  mutating func nextFrame() throws(CommandFailure) -> [UInt8]? {
    try frames.next()
  }

  /// Closes the pipes, waits a little for the child to end, then ends it.
  ///
  /// Returns how it ended; `nil` if it had to be killed.
  mutating func stop(patiently: Bool) -> Syscalls.Ending? {
    if let ending { return ending }
    closePipes()
    ending = Syscalls.awaitEnd(
      of: process, milliseconds: patiently ? Self.endingMilliseconds : 0)
    if let ending { return ending }
    reapKilled()
    return nil
  }

  /// Kills the process at once.
  ///
  /// Returns how it ended; you can read its last output with ``nextFrame()``.
  mutating func killAtOnce() throws(Syscalls.Failure) -> Syscalls.Ending? {
    reapKilled()
    // Nobody else holds the other end, so this loop ends.
    while ending != nil, reading >= 0, try fill() {}
    closePipes()
    return ending
  }

  /// Stops the process wherever it is, until it is told to go on.
  func halt() {
    if ending == nil { Syscalls.halt(process) }
  }

  /// Resumes the process.
  func resume() {
    if ending == nil { Syscalls.resume(process) }
  }

  /// Kills the process, which ends soon; the wait is bounded anyway.
  private mutating func reapKilled() {
    Syscalls.kill(process)
    ending = Syscalls.awaitEnd(of: process, milliseconds: 2_000)
  }

  private mutating func closePipes() {
    for descriptor in [reading, writing] where descriptor >= 0 {
      Syscalls.closeDescriptor(descriptor)
    }
    reading = -1
    writing = -1
  }
}
