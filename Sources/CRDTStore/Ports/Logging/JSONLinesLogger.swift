/// A logger that writes each event as a line of JSON.
///
///     let logger = JSONLinesLogger(descriptor: 2)
///     logger.warning("sync.delayed", ["attempts": .integer(3), "reason": "timeout"])
///
/// writes to standard error
///
///     {"time":1700000000000,"level":"warning","event":"sync.delayed","fields":{"attempts":3,"reason":"timeout"}}
public final class JSONLinesLogger: Logger {
  private let clock: any WallClock
  private let write: @Sendable ([UInt8]) -> Bool
  /// How many lines could not be written; its lock keeps lines apart.
  private let dropped = Locked(
    0, misuse: "what writes a logger's lines must not log to the same logger")

  /// Creates a logger that hands its lines to a closure, one at a time: the closure must not log
  /// to the same logger.
  public init(clock: any WallClock = SystemClock(), write: @escaping @Sendable ([UInt8]) -> Void) {
    self.clock = clock
    self.write = { line in
      write(line)
      return true
    }
  }

  /// Creates a logger that writes to a descriptor, which stays the caller's.
  public init(descriptor: Int32, clock: any WallClock = SystemClock()) {
    self.clock = clock
    write = { line in Descriptors.writeAll(line, to: descriptor) }
  }

  /// Writes an event.
  public func log(_ event: LogEvent) {
    dropped.withLock { dropped in
      if !write(event.jsonLine(at: clock.milliseconds)) { dropped += 1 }
    }
  }

  /// How many events could not be written, as where nobody reads any more.
  public var droppedCount: Int { dropped.withLock { $0 } }
}
