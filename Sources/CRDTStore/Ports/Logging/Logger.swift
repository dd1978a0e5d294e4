/// Takes events for a log.
///
/// ``JSONLinesLogger`` writes one line each; ``NoLogger`` drops them. Contract:
/// - It may be called from any thread; the events of one thread stay in order, and no
///   two are mixed.
/// - It doesn't fail, and doesn't wait for a network: what it can't keep it drops.
/// - It keeps every event as it is: all fields, and texts of whatever content.
public protocol Logger: Sendable {
  /// Takes an event.
  func log(_ event: LogEvent)
}

extension Logger {
  /// Notes that something happened as it should.
  public func info(_ name: String, _ fields: [String: LogValue] = [:]) {
    log(LogEvent(.info, name, fields))
  }

  /// Notes that something went wrong and will be mended without anybody's help.
  public func warning(_ name: String, _ fields: [String: LogValue] = [:]) {
    log(LogEvent(.warning, name, fields))
  }

  /// Notes that something went wrong that somebody should look at.
  public func error(_ name: String, _ fields: [String: LogValue] = [:]) {
    log(LogEvent(.error, name, fields))
  }

  /// A logger whose events all belong to one undertaking.
  public func correlated(_ correlation: String) -> CorrelatedLogger {
    CorrelatedLogger(self, correlation)
  }
}

/// Something that happened and is worth a line in a log.
public struct LogEvent: Hashable, Sendable {
  /// How much it matters.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// All is as it should be.
    case info
    /// Something went wrong and will be mended without anybody's help.
    case warning
    /// Something went wrong that somebody should look at.
    case error
  }

  /// How much it matters.
  public var level: Level
  /// What happened: a fixed word or two, as `sync.finished`, to be searched for.
  public var name: String
  /// What else is known of it: no secrets, and nothing that users have written.
  public var fields: [String: LogValue]
  /// What all events of one undertaking have in common, as a run of a sync.
  public var correlation: String?

  /// Creates an event.
  public init(
    _ level: Level, _ name: String, _ fields: [String: LogValue] = [:], correlation: String? = nil
  ) {
    self.level = level
    self.name = name
    self.fields = fields
    self.correlation = correlation
  }
}

/// The value of a field of a ``LogEvent``.
public enum LogValue: Hashable, Sendable {
  /// A text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// Yes or no.
  case boolean(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension LogValue: ExpressibleByIntegerLiteral {
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension LogValue: ExpressibleByFloatLiteral {
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
}

extension LogValue: ExpressibleByBooleanLiteral {
  /// Creates a yes or no.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// A logger that drops everything.
public struct NoLogger: Logger {
  /// Creates it; there is nothing to set.
  public init() {}

  /// Drops an event.
  public func log(_ event: LogEvent) {}
}

/// A logger whose events all belong to one undertaking.
///
///     let logger = logger.correlated("sync-17")
///     logger.info("sync.started", ["pending": .integer(12)])
public struct CorrelatedLogger: Logger {
  private let logger: any Logger
  private let correlation: String

  /// Creates a logger that hands its events on to another one.
  public init(_ logger: any Logger, _ correlation: String) {
    self.logger = logger
    self.correlation = correlation
  }

  /// Hands an event on; one that belongs to an undertaking already stays with that.
  public func log(_ event: LogEvent) {
    var event = event
    event.correlation = event.correlation ?? correlation
    logger.log(event)
  }
}
