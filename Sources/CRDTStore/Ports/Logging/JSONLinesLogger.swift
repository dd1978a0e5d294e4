import CRDTKit

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
  /// The number of lines that could not be written; its lock serializes lines.
  private let dropped = Locked(
    0, misuse: "what writes a logger's lines must not log to the same logger")

  /// Creates a logger that passes its lines to a closure, one at a time.
  ///
  /// The closure must not log to the same logger.
  public init(clock: any WallClock = SystemClock(), write: @escaping @Sendable ([UInt8]) -> Void) {
    self.clock = clock
    self.write = { line in
      write(line)
      return true
    }
  }

  /// Creates a logger that writes to a descriptor, which you still own.
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

  /// The number of events that could not be written, for example to a closed pipe.
  public var droppedCount: Int { dropped.withLock { $0 } }
}

extension LogEvent {
  /// The event as one line of JSON, with the line feed that ends it.
  ///
  ///     {"time":1700000000000,"level":"info","event":"sync.finished","correlation":"sync-17","fields":{"sent":12}}
  ///
  /// Fields are sorted by name. Numbers that JSON can't represent are strings: `"nan"`,
  /// `"inf"`, `"-inf"`.
  ///
  /// - Complexity: O(n log n) in the fields, O(n) in the bytes.
  func jsonLine(at milliseconds: UInt64) -> [UInt8] {
    var line = "{\"time\":\(milliseconds),\"level\":\"\(level.rawValue)\""
    line += ",\"event\":\(name.jsonQuoted)"
    if let correlation { line += ",\"correlation\":\(correlation.jsonQuoted)" }
    if !fields.isEmpty {
      let members = fields.sorted { $0.key < $1.key }
        .map { name, value in "\(name.jsonQuoted):\(value.jsonText)" }
      line += ",\"fields\":{\(members.joined(separator: ","))}"
    }
    return Array("\(line)}\n".utf8)
  }
}

extension LogEvent.Value {
  fileprivate var jsonText: String {
    switch self {
    case .string(let text): text.jsonQuoted
    case .integer(let number): "\(number)"
    case .number(let number) where number.isFinite: "\(number)"
    case .number(let number): number.isNaN ? "\"nan\"" : "\"\(number)\""
    case .boolean(let value): "\(value)"
    }
  }
}
