/// A stamp from outside was refused, because it lies too far ahead of the wall
/// clock: the clock that made it, or the one here, is wrong.
///
/// Nothing has changed then. Taken in, one such stamp would win over all that is
/// written until the time it names.
public struct ClockDriftError: Error, Hashable, Sendable {
  /// The stamp that was refused.
  public var stamp: HybridTimestamp
  /// What the wall clock showed.
  public var wallMilliseconds: UInt64
  /// How far ahead of the wall clock a stamp may be.
  public var driftMaxMilliseconds: UInt64

  /// Creates the error.
  public init(stamp: HybridTimestamp, wallMilliseconds: UInt64, driftMaxMilliseconds: UInt64) {
    self.stamp = stamp
    self.wallMilliseconds = wallMilliseconds
    self.driftMaxMilliseconds = driftMaxMilliseconds
  }
}

extension ClockDriftError: CustomStringConvertible {
  /// A sentence that says how far ahead the stamp is.
  public var description: String {
    let ahead = stamp.milliseconds - min(stamp.milliseconds, wallMilliseconds)
    let (span, limit) = (
      Duration.milliseconds(Int64(clamping: ahead)),
      Duration.milliseconds(Int64(clamping: driftMaxMilliseconds))
    )
    return "a stamp of replica \(stamp.replica) is \(span.inDaysOrLess) ahead of the clock here;"
      + " at most \(limit.inDaysOrLess) are allowed"
  }
}

extension Duration {
  /// The span in whole days, or in a smaller unit where it is shorter than two.
  package var inDaysOrLess: String {
    let seconds = components.seconds
    return switch seconds {
    case ..<2: "\(seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000) ms"
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}
