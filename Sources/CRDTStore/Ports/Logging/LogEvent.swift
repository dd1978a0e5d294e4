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
