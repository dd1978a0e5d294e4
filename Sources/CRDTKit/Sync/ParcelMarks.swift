/// What a parcel says of one replica's events, and what it leaves out since it
/// follows from what was told before.
@frozen
@usableFromInline
struct ParcelMarks: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The replica was never told of on this stream: its name follows.
  @inlinable static var isNew: ParcelMarks { ParcelMarks(rawValue: 1) }
  /// The events don't go on from those that were told last: what they go on from follows.
  @inlinable static var hasBase: ParcelMarks { ParcelMarks(rawValue: 2) }
  /// The fingerprint does not follow from the rows: it is written, with the marks that
  /// are kept between the base and the last event.
  @inlinable static var hasFingerprint: ParcelMarks { ParcelMarks(rawValue: 4) }
  /// There are several events: their number follows.
  @inlinable static var hasCount: ParcelMarks { ParcelMarks(rawValue: 8) }
  /// Not every event has a row: which have follows.
  @inlinable static var hasRuns: ParcelMarks { ParcelMarks(rawValue: 16) }
  /// Each event killed one row of the same replica: how much older each was follows.
  @inlinable static var replacesOwn: ParcelMarks { ParcelMarks(rawValue: 32) }
  /// The events killed rows, which are listed.
  @inlinable static var hasKills: ParcelMarks { ParcelMarks(rawValue: 64) }

  /// Stretches begin among the events, or the fingerprints have another origin than was
  /// told: the origin and the stretches follow.
  @inlinable static var hasStretches: ParcelMarks { ParcelMarks(rawValue: 128) }

  /// Marks that no writer sets.
  @inlinable
  var isStrange: Bool {
    contains(.replacesOwn) && !isDisjoint(with: [.hasKills, .hasRuns])
  }
}
