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
