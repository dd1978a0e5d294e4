/// Tells the time of day, which may be wrong, stand still or be set back.
public protocol WallClock: Sendable {
  /// Milliseconds since 1970.
  var milliseconds: UInt64 { get }
}
