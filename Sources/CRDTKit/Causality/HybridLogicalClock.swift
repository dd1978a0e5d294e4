/// A clock that makes a replica's timestamps.
///
/// They are close to the wall clock, and always greater than every timestamp made or
/// received before.
///
///     var clock = HybridLogicalClock(replica: phone)
///     try clock.receive(note.timestamp, wallMilliseconds: wall)
///     note.set("later", at: clock.now(wallMilliseconds: wall))    // wins
///
/// You pass the wall clock's time to each call. If it stands still or is set back, the
/// timestamps still increase. To continue after a restart, store ``latest`` and resume
/// from it.
///
/// Kulkarni, Demirbas, Madappa, Avva, Leone, "Logical Physical Clocks and
/// Consistent Snapshots in Globally Distributed Databases", 2014.
@frozen
public struct HybridLogicalClock: Hashable, Sendable {
  /// The replica whose timestamps the clock makes.
  public let replica: ReplicaID

  /// The most that a received timestamp may be ahead of the wall clock.
  public var maximumDrift: Duration

  /// The greatest time of all timestamps made, received or resumed from.
  @usableFromInline var time: UInt64

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - replica: The replica whose timestamps the clock makes. Only one clock at a time
  ///     may make timestamps for it.
  ///   - latest: The ``latest`` of the clock that this one continues: every new timestamp
  ///     is greater. `nil` for a replica that has never made a timestamp.
  ///   - maximumDrift: The most that a received timestamp may be ahead of the
  ///     wall clock; the default is 5 minutes.
  public init(
    replica: ReplicaID,
    resuming latest: HybridTimestamp? = nil,
    maximumDrift: Duration = .seconds(300)
  ) {
    self.replica = replica
    self.maximumDrift = maximumDrift
    time = latest?.time ?? 0
  }
}

extension HybridLogicalClock {
  /// A timestamp to store for resuming: none made so far is greater.
  ///
  /// Its time is the greatest of all timestamps made, received or resumed from.
  public var latest: HybridTimestamp { HybridTimestamp(time: time, replica: replica) }

  /// Makes a timestamp that is greater than every one made or received before.
  ///
  /// It has the wall clock's time if that has advanced. Otherwise the count within the
  /// millisecond increases by one; after 65,536 timestamps, the milliseconds increase.
  ///
  /// The 48 bits of milliseconds end in the year 10889. From then on, every timestamp
  /// equals the greatest possible one. Only the local wall clock can cause that, because
  /// ``receive(_:wallMilliseconds:)`` refuses timestamps far ahead.
  public mutating func now(wallMilliseconds: UInt64) -> HybridTimestamp {
    let wall = min(wallMilliseconds, HybridTimestamp.maximumMilliseconds) << 16
    let following = time == .max ? time : time + 1
    time = max(wall, following)
    return latest
  }

  /// Records a timestamp from another replica, so that every later one made here is
  /// greater.
  ///
  /// Before you merge, call it with the timestamps of the data. Merge only if it doesn't
  /// throw.
  ///
  /// A timestamp that this clock has already passed is never too far ahead. So data that
  /// was accepted before remains acceptable when the wall clock is set back.
  ///
  /// - Throws: ``HybridLogicalClock/DriftError`` if the timestamp is more than
  ///   ``maximumDrift`` ahead of the wall clock. The clock is unchanged then.
  public mutating func receive(
    _ stamp: HybridTimestamp,
    wallMilliseconds: UInt64
  ) throws(HybridLogicalClock.DriftError) {
    guard stamp.time > time else { return }
    let (limit, isBeyondAll) = wallMilliseconds.addingReportingOverflow(
      maximumDrift.clampedMilliseconds)
    guard isBeyondAll || stamp.milliseconds <= limit else {
      throw HybridLogicalClock.DriftError(
        stamp: stamp,
        wallMilliseconds: wallMilliseconds,
        maximumDrift: maximumDrift
      )
    }
    time = stamp.time
  }
}

extension HybridLogicalClock: CustomStringConvertible {
  /// The text form of ``latest``.
  public var description: String { latest.description }
}

extension HybridLogicalClock {
  /// A received timestamp that was refused because it is too far ahead of the wall clock.
  ///
  /// The clock that made it or the local wall clock is wrong. The refusing clock is
  /// unchanged. An accepted timestamp far ahead would win over all writes until the time it
  /// names.
  public struct DriftError: Error, Hashable, Sendable {
    /// The refused timestamp.
    public var stamp: HybridTimestamp
    /// The time of the local wall clock.
    public var wallMilliseconds: UInt64
    /// The most that a timestamp may be ahead of the wall clock.
    public var maximumDrift: Duration

    /// Creates the error.
    public init(stamp: HybridTimestamp, wallMilliseconds: UInt64, maximumDrift: Duration) {
      self.stamp = stamp
      self.wallMilliseconds = wallMilliseconds
      self.maximumDrift = maximumDrift
    }
  }
}

extension HybridLogicalClock.DriftError: CustomStringConvertible {
  /// A sentence that says how far ahead the timestamp is.
  public var description: String {
    let ahead = stamp.milliseconds - min(stamp.milliseconds, wallMilliseconds)
    let span = Duration.milliseconds(Int64(clamping: ahead))
    return "a stamp of replica \(stamp.replica) is \(span.inDaysOrLess) ahead of the clock here;"
      + " at most \(max(.zero, maximumDrift).inDaysOrLess) are allowed"
  }
}

extension Duration {
  /// The duration in whole days, or in a smaller unit if it is shorter than two days.
  package var inDaysOrLess: String {
    let seconds = wholeMilliseconds / 1_000
    return switch seconds {
    case ..<2: "\(wholeMilliseconds) ms"
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded towards zero.
  package var wholeMilliseconds: Int128 {
    attoseconds / 1_000_000_000_000_000
  }

  /// The whole milliseconds of the duration; 0 if it is negative.
  package var clampedMilliseconds: UInt64 { UInt64(clamping: wholeMilliseconds) }
}
