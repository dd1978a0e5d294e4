/// The description in a delta of a replica without new events; the receiver uses it to
/// check that its events of that replica are the same.
@frozen
@usableFromInline
package struct KnownMark: Sendable {
  /// The counter of a mark that a copy of the delta's version keeps; 0 if there is none.
  @usableFromInline var counter: UInt64 = 0
  @usableFromInline var fingerprint: UInt32 = 0
  /// The last stretch.
  @usableFromInline var stretch: Stretches.Stretch?

  @inlinable
  init() {}

  /// The marks of a base that has only one replica, whose events the delta's column marks.
  @usableFromInline static let ofOne: ContiguousArray = [KnownMark()]
}

extension Column {
  /// Returns a mark with which a copy that has seen `other` events can check that they
  /// are the same.
  @inlinable
  func knownMark(for other: UInt64) -> KnownMark {
    var mark = KnownMark()
    mark.stretch = stretches.isEmpty ? nil : stretches.last(upTo: seen)
    guard origin == 0 else { return mark }
    let counter = other == seen ? seen : FingerprintHistory.lastKept(upTo: seen, before: other)
    mark.fingerprint = comparableFingerprint(at: counter)
    if mark.fingerprint != 0 { mark.counter = counter }
    return mark
  }

  /// Returns whether a mark belongs to other events than those seen here.
  @inlinable
  borrowing func contradicts(_ mark: borrowing KnownMark, upTo base: UInt64) -> Bool {
    if mark.counter > 0 {
      let found = comparableFingerprint(at: mark.counter)
      if found != 0, found != mark.fingerprint { return true }
    }
    guard let stretch = mark.stretch, base <= seen else { return false }
    return stretches.contradict(Stretches(announcing: stretch), upTo: base)
  }

  /// Returns the fingerprint of the events up to a counter; 0 if it isn't known or begins
  /// with one of an earlier format.
  @inlinable
  borrowing func comparableFingerprint(at counter: UInt64) -> UInt32 {
    guard origin == 0 else { return 0 }
    return counter == seen ? fingerprint : history.fingerprint(at: counter) ?? 0
  }
}

extension Stretches {
  /// Creates a list of which only the last stretch is known.
  @usableFromInline
  init(announcing last: Stretch) {
    count = last.number
    kept = [last]
    floor = last.first
  }
}

extension KnownMark {
  /// Encodes the stretch, if there is one, then the distance of the mark below the base,
  /// plus 1, and the mark; or 0 if there is no mark.
  func encode(to writer: inout ByteWriter, upTo base: UInt64) {
    guard base > 0 else { return }
    if let stretch {
      writer.write(varint: stretch.number)
      writer.write(varint: base - stretch.first)
      writer.write(fixed: stretch.nonce)
      writer.write(fixed: stretch.before)
    }
    writer.write(varint: counter == 0 ? 0 : base - counter + 1)
    if counter > 0 { writer.write(fixed: fingerprint) }
  }

  init(
    from reader: inout ByteReader, upTo base: UInt64, hasStretch: Bool
  ) throws(DecodingFailure) {
    let start = reader.offset
    if hasStretch {
      let number = try reader.readVarint()
      let age = try reader.readVarint()
      guard age < base, number > 0, number <= base - age else {
        throw DecodingFailure(.outOfBounds("the beginning of a stretch"), at: start)
      }
      stretch = Stretches.Stretch(
        first: base - age, nonce: try reader.readFixed(UInt32.self),
        before: try reader.readFixed(UInt32.self), number: number)
    }
    let place = reader.offset
    let distance = try reader.readVarint()
    guard distance <= base else { throw DecodingFailure(.outOfBounds("a mark"), at: place) }
    guard distance > 0 else { return }
    counter = base - distance + 1
    fingerprint = try reader.readFixed(UInt32.self)
    guard fingerprint != 0 else { throw DecodingFailure(.notCanonical("no mark"), at: place) }
  }
}

extension DotTable {
  /// Returns whether all removals by events that a version does not contain are still
  /// known.
  @inlinable
  package func isLogWhole(since version: VersionVector) -> Bool {
    columns.allSatisfy { $0.kills.floor <= Swift.min(version[$0.replica], $0.seen) }
  }

  /// Returns the changes of this table that `version` does not contain, using a history
  /// of removals that the table has forgotten; `nil` if the two together do not reach
  /// back to the version.
  ///
  /// Applying it has the same effect as applying ``delta(since:)``. The receiver can also
  /// pass on the removals.
  ///
  /// - Complexity: O(number of replicas + changes, including all removals since the
  ///   version).
  @inlinable
  package func delta(since version: VersionVector, history: RemovalHistory) -> Delta? {
    var delta = Delta(base: [:], columns: [])
    for column in columns {
      let known = Swift.min(version[column.replica], column.seen)
      if known > 0 {
        delta.base.entries.append(VersionVector.Entry(column.replica, known))
      }
      guard known < column.seen else { continue }
      let found = history.kills(of: column.replica, after: known, then: column.kills)
      guard let kills = found else { return nil }
      var part = column.part(after: known, isLogged: false)
      part.kills = kills
      delta.columns.append(part)
    }
    return delta
  }
}
