import CRDTKit

/// Tells whether a clock is odd, from what it says and from what is known besides.
///
/// While a store is open, a monotonic clock says how much time has passed, so a jump
/// shows whatever was written before. While it was closed nothing does: a store that
/// nobody used for a month finds the clock a month on, and that is right. Only what is
/// longer than any absence that is expected is told then.
struct ClockWatch {
  /// How far the clock may be off before it is told.
  let driftMaxMilliseconds: UInt64
  /// How long a store is expected to be closed at most.
  let absenceMaxMilliseconds: UInt64

  /// What the clocks said last.
  private var wall: UInt64
  private var elapsed: Duration?
  /// The latest time that is known, where the clock was behind it when it was looked at
  /// last: then it is no measure of what comes, as where a machine starts without a
  /// clock and sets it later.
  private var latestKnown: UInt64?
  /// Whether it was told that stamps are ahead, since they are.
  private var hasToldOfStamps = false

  /// Begins when a store is opened.
  ///
  /// The times are what the clock says, what a monotonic one does if there is any, the
  /// latest stamp, and when a peer was last heard of, by the clock then; 0 for never.
  init(
    wall: UInt64, elapsed: Duration?, stamps: UInt64, contact: UInt64,
    driftMaxMilliseconds: UInt64, absenceMaxMilliseconds: UInt64
  ) {
    self.driftMaxMilliseconds = driftMaxMilliseconds
    self.absenceMaxMilliseconds = absenceMaxMilliseconds
    self.wall = wall
    self.elapsed = elapsed
    latestKnown = max(stamps, contact)
  }

  /// Looks at the clocks before a stamp is made; gives what is odd and wasn't told.
  ///
  /// Each jump is told once, and stamps that are ahead once until they are no more.
  mutating func look(wall: UInt64, elapsed: Duration?, stamps: UInt64) -> ClockWarning? {
    defer { (self.wall, self.elapsed) = (wall, elapsed) }
    if Self.isAhead(stamps, of: wall, by: driftMaxMilliseconds) {
      latestKnown = max(latestKnown ?? 0, stamps)
      defer { hasToldOfStamps = true }
      return hasToldOfStamps ? nil : .stampsAhead(by: .milliseconds(Int64(clamping: stamps - wall)))
    }
    hasToldOfStamps = false
    if let known = latestKnown {
      // The first look, or the clock was behind until now.
      latestKnown = Self.isAhead(known, of: wall, by: driftMaxMilliseconds) ? known : nil
      guard known > 0, Self.isAhead(wall, of: known, by: absenceMaxMilliseconds) else { return nil }
      return .jumped(by: .milliseconds(Int64(clamping: wall - known)))
    }
    guard let elapsed, let last = self.elapsed else { return nil }
    let passed = UInt64(clamping: (elapsed - last).wholeMilliseconds)
    let (expected, isBeyond) = self.wall.addingReportingOverflow(passed)
    guard !isBeyond, Self.isAhead(wall, of: expected, by: driftMaxMilliseconds),
      Self.isAhead(wall, of: stamps, by: driftMaxMilliseconds)
    else { return nil }
    return .jumped(by: .milliseconds(Int64(clamping: wall - expected)))
  }

  /// Forgets that stamps were ahead: they are no more, and the clocks are right now.
  mutating func noteRestamping(wall: UInt64, elapsed: Duration?) {
    (self.wall, self.elapsed) = (wall, elapsed)
    hasToldOfStamps = false
    latestKnown = nil
  }

  private static func isAhead(_ time: UInt64, of other: UInt64, by span: UInt64) -> Bool {
    time > other && time - other > span
  }
}

/// What may be wrong with the clock that a store takes its stamps from.
///
/// See the article *Clocks* for what is told, and what to do.
public enum ClockWarning: Hashable, Sendable {
  /// The clock has jumped ahead by as much, beyond everything that the store knows.
  ///
  /// If it is wrong, set it right, and then call ``Store/restampFutureWrites()``: what
  /// was written meanwhile is refused by peers, and wins over what they write.
  case jumped(by: Duration)
  /// The store holds, or goes on from, stamps that are ahead of the clock by as much:
  /// either the clock was ahead when they were made, or it is behind now.
  ///
  /// Peers refuse what is written. If the clock is right, call
  /// ``Store/restampFutureWrites()``.
  case stampsAhead(by: Duration)
}

extension ClockWarning: CustomStringConvertible {
  /// A sentence that says what is odd, and what to do.
  public var description: String { "\(sentence), with restampFutureWrites()" }

  /// The same, but with what to do it.
  package var sentence: String {
    switch self {
    case .jumped(let span):
      "the clock has jumped ahead by \(span.inDaysOrLess): if it is wrong, set it right, "
        + "and write anew what was written meanwhile"
    case .stampsAhead(let span):
      "what was written here is stamped \(span.inDaysOrLess) ahead of the clock, and peers "
        + "refuse it: if the clock is right, write it anew"
    }
  }
}
