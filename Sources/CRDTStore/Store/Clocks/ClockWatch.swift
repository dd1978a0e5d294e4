import CRDTKit

/// Detects a wrong clock.
///
/// While a store is open, a monotonic clock measures how much time has passed, so every
/// jump shows. While the store was closed, nothing measures the time: a store that nobody
/// used for a month finds the clock a month on, and that is right. So after opening, only a
/// time longer than any expected absence is reported.
struct ClockWatch {
  /// How far the clock may be off before a warning.
  let maximumDriftMilliseconds: UInt64
  /// The longest time that a store is expected to be closed.
  let maximumAbsenceMilliseconds: UInt64

  /// The last times of the two clocks.
  private var wall: UInt64
  private var elapsed: Duration?
  /// The latest known time, if the clock was behind it at the last check.
  ///
  /// The clock then is no measure for later times, as on a machine that starts without a
  /// clock and sets it later.
  private var latestKnown: UInt64?
  /// Whether the warning about stamps ahead was given since they are ahead.
  private var hasToldOfStamps = false

  /// Creates the watch when a store is opened.
  ///
  /// The times are the clock's, the monotonic clock's if there is one, the latest stamp,
  /// and the last contact with a peer by the clock then; 0 for never.
  init(
    wall: UInt64, elapsed: Duration?, stamps: UInt64, contact: UInt64,
    maximumDriftMilliseconds: UInt64, maximumAbsenceMilliseconds: UInt64
  ) {
    self.maximumDriftMilliseconds = maximumDriftMilliseconds
    self.maximumAbsenceMilliseconds = maximumAbsenceMilliseconds
    self.wall = wall
    self.elapsed = elapsed
    latestKnown = max(stamps, contact)
  }

  /// Checks the clocks before a stamp is made; returns a warning that was not given yet.
  ///
  /// Each jump is reported once. Stamps that are ahead are reported once, until they are no
  /// longer ahead.
  mutating func look(wall: UInt64, elapsed: Duration?, stamps: UInt64) -> Store.ClockWarning? {
    defer { (self.wall, self.elapsed) = (wall, elapsed) }
    if Self.isAhead(stamps, of: wall, by: maximumDriftMilliseconds) {
      latestKnown = max(latestKnown ?? 0, stamps)
      defer { hasToldOfStamps = true }
      return hasToldOfStamps ? nil : .stampsAhead(by: .milliseconds(Int64(clamping: stamps - wall)))
    }
    hasToldOfStamps = false
    if let known = latestKnown {
      // This is the first check, or the clock was behind until now.
      latestKnown = Self.isAhead(known, of: wall, by: maximumDriftMilliseconds) ? known : nil
      guard known > 0, Self.isAhead(wall, of: known, by: maximumAbsenceMilliseconds) else {
        return nil
      }
      return .jumped(by: .milliseconds(Int64(clamping: wall - known)))
    }
    guard let elapsed, let last = self.elapsed else { return nil }
    let passed = UInt64(clamping: (elapsed - last).wholeMilliseconds)
    let (expected, isBeyond) = self.wall.addingReportingOverflow(passed)
    guard !isBeyond, Self.isAhead(wall, of: expected, by: maximumDriftMilliseconds),
      Self.isAhead(wall, of: stamps, by: maximumDriftMilliseconds)
    else { return nil }
    return .jumped(by: .milliseconds(Int64(clamping: wall - expected)))
  }

  /// Notes that the stamps are no longer ahead, and that the clocks are right now.
  mutating func noteRestamping(wall: UInt64, elapsed: Duration?) {
    (self.wall, self.elapsed) = (wall, elapsed)
    hasToldOfStamps = false
    latestKnown = nil
  }

  private static func isAhead(_ time: UInt64, of other: UInt64, by span: UInt64) -> Bool {
    time > other && time - other > span
  }
}

extension Store {
  /// A possible fault of the clock that a store makes its stamps from.
  ///
  /// The article *Clocks* describes the warnings, and what to do.
  @nonexhaustive
  public enum ClockWarning: Hashable, Sendable {
    /// The clock has jumped ahead by this much, beyond all times that the store knows.
    ///
    /// If the clock is wrong, set it right, then call ``Store/restampFutureWrites()``. Peers
    /// refuse the values that were written meanwhile, and these values win over what peers
    /// write.
    case jumped(by: Duration)
    /// The store's latest stamps are ahead of the clock by this much.
    ///
    /// Either the clock was ahead when they were made, or it is behind now. Peers refuse what
    /// this store writes. If the clock is right, call ``Store/restampFutureWrites()``.
    case stampsAhead(by: Duration)
  }
}

extension Store.ClockWarning: CustomStringConvertible {
  /// The warning as a sentence that also says what to do.
  public var description: String { "\(sentence), with restampFutureWrites()" }

  /// The sentence without the name of the call.
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
