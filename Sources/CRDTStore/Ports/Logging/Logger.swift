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
