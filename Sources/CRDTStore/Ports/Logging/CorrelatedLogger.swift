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
