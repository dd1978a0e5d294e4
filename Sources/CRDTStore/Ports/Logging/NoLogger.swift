/// A logger that drops everything.
public struct NoLogger: Logger {
  /// Creates it; there is nothing to set.
  public init() {}

  /// Drops an event.
  public func log(_ event: LogEvent) {}
}
