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
    var line = Array("{\"time\":\(milliseconds),\"level\":\"\(level.rawValue)\",\"event\":".utf8)
    line.append(quoting: name)
    if let correlation {
      line += Array(",\"correlation\":".utf8)
      line.append(quoting: correlation)
    }
    if !fields.isEmpty {
      line += Array(",\"fields\":".utf8)
      var separator = UInt8(ascii: "{")
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        line.append(separator)
        line.append(quoting: name)
        line.append(UInt8(ascii: ":"))
        line.append(value)
        separator = UInt8(ascii: ",")
      }
      line.append(UInt8(ascii: "}"))
    }
    line += [UInt8(ascii: "}"), UInt8(ascii: "\n")]
    return line
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ value: LogEvent.Value) {
    switch value {
    case .string(let text): append(quoting: text)
    case .integer(let number): self += Array("\(number)".utf8)
    case .number(let number) where number.isFinite: self += Array("\(number)".utf8)
    case .number(let number): append(quoting: number.isNaN ? "nan" : "\(number)")
    case .boolean(let value): self += Array("\(value)".utf8)
    }
  }

  /// Appends text as a JSON string.
  ///
  /// It escapes more than JSON requires: all characters that a terminal or a line reader
  /// might interpret, such as control characters, Unicode line separators and byte order
  /// marks.
  fileprivate mutating func append(quoting text: String) {
    append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": self += Array("\\\"".utf8)
      case "\\": self += Array("\\\\".utf8)
      case "\n": self += Array("\\n".utf8)
      case "\r": self += Array("\\r".utf8)
      case "\t": self += Array("\\t".utf8)
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        let digits = String(scalar.value, radix: 16)
        self += Array("\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
      default: self += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
