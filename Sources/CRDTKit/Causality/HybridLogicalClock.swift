/// Makes a replica's stamps: close to the wall clock, and always greater than
/// every stamp that was made or received before.
///
///     var clock = HybridLogicalClock(replica: phone)
///     try clock.receive(note.timestamp, wallMilliseconds: wall)
///     note.set("later", at: clock.now(wallMilliseconds: wall))    // wins
///
/// The wall clock is passed in, may stand still and may be set back: the stamps
/// go on. To go on after a restart too, keep ``latest`` and resume from it.
///
/// Kulkarni, Demirbas, Madappa, Avva, Leone, "Logical Physical Clocks and
/// Consistent Snapshots in Globally Distributed Databases", 2014.
@frozen
public struct HybridLogicalClock: Hashable, Sendable {
  /// The replica whose stamps the clock makes.
  public let replica: ReplicaID

  /// How far ahead of the wall clock a received stamp may be.
  public var driftMaxMilliseconds: UInt64

  /// The greatest time that was made, received or resumed from.
  @usableFromInline var time: UInt64

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - replica: The replica whose stamps the clock makes. Only one clock at a
  ///     time may make stamps for it.
  ///   - latest: The ``latest`` of the clock that this one continues: every stamp
  ///     is greater. `nil` for a replica that never made a stamp.
  ///   - driftMaxMilliseconds: How far ahead of the wall clock a received stamp
  ///     may be: 5 minutes unless given.
  public init(
    replica: ReplicaID,
    resuming latest: HybridTimestamp? = nil,
    driftMaxMilliseconds: UInt64 = 300_000
  ) {
    self.replica = replica
    self.driftMaxMilliseconds = driftMaxMilliseconds
    time = latest?.time ?? 0
  }
}

extension HybridLogicalClock {
  /// A stamp that no later one is below: what to keep for resuming.
  ///
  /// Its time is the greatest that was made, received or resumed from.
  public var latest: HybridTimestamp { HybridTimestamp(time: time, replica: replica) }

  /// Makes a stamp that is greater than every one made or received before.
  ///
  /// It is the wall clock's time where that has gone on. Where it hasn't, the
  /// count within the millisecond goes up by one, and after 65,536 of them the
  /// milliseconds do.
  ///
  /// In the year 10889 the 48 bits of milliseconds end, and every further stamp
  /// is equal to the greatest there is. Since ``receive(_:wallMilliseconds:)``
  /// refuses stamps far ahead, only the clock here can lead there.
  public mutating func now(wallMilliseconds: UInt64) -> HybridTimestamp {
    let wall = min(wallMilliseconds, HybridTimestamp.millisecondsMax) << 16
    let following = time == .max ? time : time + 1
    time = max(wall, following)
    return latest
  }

  /// Takes note of a stamp from outside, so that every later stamp made here is
  /// greater.
  ///
  /// Call it with the stamps of whatever is about to be merged, and merge only
  /// if it doesn't throw.
  ///
  /// A stamp that this clock has already passed is never too far ahead: when the
  /// wall clock is set back, what was in order before stays so.
  ///
  /// - Throws: ``ClockDriftError`` if the stamp is more than
  ///   ``driftMaxMilliseconds`` ahead of the wall clock. Nothing has changed then.
  public mutating func receive(
    _ stamp: HybridTimestamp,
    wallMilliseconds: UInt64
  ) throws(ClockDriftError) {
    guard stamp.time > time else { return }
    let (limit, isBeyondAll) = wallMilliseconds.addingReportingOverflow(driftMaxMilliseconds)
    guard isBeyondAll || stamp.milliseconds <= limit else {
      throw ClockDriftError(
        stamp: stamp,
        wallMilliseconds: wallMilliseconds,
        driftMaxMilliseconds: driftMaxMilliseconds
      )
    }
    time = stamp.time
  }
}

extension HybridLogicalClock: CustomStringConvertible {
  /// The text form of ``latest``.
  public var description: String { latest.description }
}

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

extension Duration {
  /// The whole milliseconds of the duration, towards zero.
  package var wholeMilliseconds: Int128 {
    let (seconds, attoseconds) = components
    return Int128(seconds) * 1_000 + Int128(attoseconds) / 1_000_000_000_000_000
  }
}
