/// Receives log events.
///
/// ``JSONLinesLogger`` writes one line per event; ``NoLogger`` drops them. Contract:
/// - It may be called from any thread; the events of one thread stay in order, and no
///   two are mixed.
/// - It doesn't fail, and doesn't wait for a network. It drops events that it can't store.
/// - It stores every event unchanged: all fields, and strings of any content.
public protocol Logger: Sendable {
  /// Receives an event.
  func log(_ event: LogEvent)
}

extension Logger {
  /// Logs a normal event.
  public func info(_ name: String, _ fields: [String: LogEvent.Value] = [:]) {
    log(LogEvent(.info, name, fields))
  }

  /// Logs a problem that will be resolved automatically.
  public func warning(_ name: String, _ fields: [String: LogEvent.Value] = [:]) {
    log(LogEvent(.warning, name, fields))
  }

  /// Logs a problem that needs attention.
  public func error(_ name: String, _ fields: [String: LogEvent.Value] = [:]) {
    log(LogEvent(.error, name, fields))
  }

  /// A logger that adds a correlation identifier to all events.
  public func correlated(_ correlation: String) -> CorrelatedLogger {
    CorrelatedLogger(self, correlation)
  }
}

/// An event for a log.
public struct LogEvent: Hashable, Sendable {
  /// The severity of the event.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// A normal event.
    case info
    /// A problem that will be resolved automatically.
    case warning
    /// A problem that needs attention.
    case error
  }

  /// The severity of the event.
  public var level: Level
  /// The name of the event: a fixed word or two that you can search for, such as
  /// `sync.finished`.
  public var name: String
  /// Further details, without secrets or user content.
  public var fields: [String: LogEvent.Value]
  /// The identifier that related events share, such as those of one sync.
  public var correlation: String?

  /// Creates an event.
  public init(
    _ level: Level, _ name: String, _ fields: [String: LogEvent.Value] = [:],
    correlation: String? = nil
  ) {
    self.level = level
    self.name = name
    self.fields = fields
    self.correlation = correlation
  }
}

extension LogEvent {
  /// The value of a field of a ``LogEvent``.
  public enum Value: Hashable, Sendable {
    /// A string.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number.
    case number(Double)
    /// A Boolean.
    case boolean(Bool)
  }
}

extension LogEvent.Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension LogEvent.Value: ExpressibleByIntegerLiteral {
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension LogEvent.Value: ExpressibleByFloatLiteral {
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
}

extension LogEvent.Value: ExpressibleByBooleanLiteral {
  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// A logger that drops everything.
public struct NoLogger: Logger {
  /// Creates an instance.
  public init() {}

  /// Drops an event.
  public func log(_ event: LogEvent) {}
}

/// A logger that adds a correlation identifier to all events.
///
///     let logger = logger.correlated("sync-17")
///     logger.info("sync.started", ["pending": .integer(12)])
public struct CorrelatedLogger: Logger {
  private let logger: any Logger
  private let correlation: String

  /// Creates a logger that forwards its events to another one.
  public init(_ logger: any Logger, _ correlation: String) {
    self.logger = logger
    self.correlation = correlation
  }

  /// Forwards an event.
  ///
  /// An event that already has a correlation keeps it.
  public func log(_ event: LogEvent) {
    var event = event
    event.correlation = event.correlation ?? correlation
    logger.log(event)
  }
}
