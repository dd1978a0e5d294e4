public import CRDTStore

/// A logger that keeps its events in memory.
public final class RecordingLogger: Logger {
  private let recorded = Locked<[LogEvent]>([])

  /// Creates a logger that has no events yet.
  public init() {}

  /// Keeps an event.
  public func log(_ event: LogEvent) {
    recorded.withLock { $0.append(event) }
  }

  /// The events, in the order in which they came.
  public var events: [LogEvent] { recorded.withLock { $0 } }
}
