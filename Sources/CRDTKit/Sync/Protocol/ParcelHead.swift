/// The part of a parcel about one replica's events, before the rows.
@frozen
@usableFromInline
struct ParcelHead {
  @usableFromInline let marks: ParcelMarks
  @usableFromInline let replica: ReplicaID
  @usableFromInline let base: UInt64
  /// The fingerprint of the base; 0 if unknown.
  @usableFromInline let baseFingerprint: UInt32
  /// The last mark up to the base, as written or as sent before; then the written marks.
  @usableFromInline let floorHistory: FingerprintHistory
  @usableFromInline let history: FingerprintHistory
  @usableFromInline let origin: UInt64
  @usableFromInline let stretches: Stretches
  @usableFromInline let seen: UInt64
  /// The written fingerprint; `nil` if it follows from the rows.
  @usableFromInline let fingerprint: UInt32?
  @usableFromInline let runs: CounterRuns
  /// Whether elements of texts follow the rows.
  @usableFromInline let hasTexts: Bool

  /// Reads the head of the replica at an index among those sent before, or of a new one
  /// to insert there.
  @usableFromInline
  init(
    _ marks: ParcelMarks, at place: Int, after previous: ReplicaID?, told: KnownHeads,
    from reader: inout ByteReader
  ) throws(DecodingFailure) {
    self.marks = marks
    let start = reader.offset
    var base: UInt64 = 0
    var baseFingerprint: UInt32 = 0
    var origin: UInt64 = 0
    if marks.contains(.isNew) {
      let name = try reader.readReplica(after: previous)
      guard told.place(of: name) == place, !told.has(name, at: place) else {
        throw DecodingFailure(.notCanonical("a replica that is not new"), at: start)
      }
      replica = name
    } else {
      guard place < told.replicas.count, previous.map({ $0 < told.replicas[place] }) ?? true
      else { throw DecodingFailure(.outOfBounds("a replica's place"), at: start) }
      replica = told.replicas[place]
      base = told.entries[place].seen
      baseFingerprint = told.entries[place].fingerprint
      origin = told.entries[place].origin
    }
    var floor: UInt32 = 0
    if marks.contains(.hasBase) {
      base = try reader.readVarint()
      guard base <= Dot.counterMax else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      floor = base > 0 ? try reader.readFixed(UInt32.self) : 0
    }
    let count = marks.contains(.hasCount) ? try reader.readVarint() : 1
    guard count > (marks.contains(.hasCount) ? 1 : 0), count <= Dot.counterMax - base else {
      throw DecodingFailure(.outOfBounds("the number of events"), at: start)
    }
    self.base = base
    let seen = base + count
    self.seen = seen
    var stretches = Stretches()
    if marks.contains(.hasStretches) {
      let place = reader.offset
      let told = origin
      origin = try reader.readVarint()
      stretches = try Stretches(from: &reader, after: base, upTo: seen)
      let isNews = stretches.last(upTo: seen).map { $0.first > base } ?? false
      guard origin <= seen, isNews || origin != told else {
        throw DecodingFailure(.notCanonical("the stretches of a parcel"), at: place)
      }
      if origin != told { baseFingerprint = 0 }
    }
    self.origin = origin
    self.stretches = stretches
    var history = FingerprintHistory()
    if marks.contains(.hasBase) {
      let last = FingerprintHistory.lastKept(upTo: base, before: seen)
      if floor != 0, last > 0, last >= origin { history.append(floor, at: last) }
      baseFingerprint = last == base ? floor : 0
    } else if baseFingerprint != 0 {
      history.append(baseFingerprint, at: base)
    }
    self.baseFingerprint = baseFingerprint
    floorHistory = history
    if marks.contains(.hasFingerprint) {
      fingerprint = try reader.readFixed(UInt32.self)
      try FingerprintHistory.forEachKept(from: max(base + 1, origin), before: seen) {
        (counter) throws(DecodingFailure) in
        history.append(try reader.readFixed(UInt32.self), at: counter)
      }
    } else {
      guard !marks.contains(.hasRuns), base == 0 || baseFingerprint != 0 else {
        throw DecodingFailure(.invalidValue("a fingerprint that is left out"), at: start)
      }
      fingerprint = nil
    }
    self.history = history
    if marks.contains(.hasRuns) {
      (runs, hasTexts) = try CounterRuns.read(from: &reader, after: base, upTo: seen)
    } else {
      hasTexts = false
      var runs = CounterRuns()
      runs.append(base + 1, count: count)
      self.runs = runs
    }
  }
}

extension Column {
  /// Reads the rows and kills of a parcel's column, and returns whether they match the
  /// written fingerprint, as far as it can be checked.
  ///
  /// `known` is the fingerprint here of the events that the column continues from, or 0.
  @inlinable
  static func read<Rows: RowReader>(
    _ head: ParcelHead, rowsFrom reader: inout ByteReader, reading rows: inout Rows,
    told: KnownHeads, known: UInt32
  ) throws(DecodingFailure) -> (Column, isGenuine: Bool)
  where Rows.Key == Key, Rows.Payload == Payload {
    var column = Column(
      replica: head.replica, seen: head.seen, fingerprint: head.fingerprint ?? 0,
      origin: head.origin)
    column.history = head.history
    column.stretches = head.stretches
    try column.readRows(of: head.runs, from: &reader, reading: &rows)
    if head.hasTexts {
      column.texts = try TextColumn(
        from: &reader, after: head.base, upTo: head.seen, of: head.replica, besides: head.runs,
        replicas: told.replicas)
    }
    column.kills = try KillLog(parcelFrom: &reader, of: head, told: told)
    let start = head.baseFingerprint != 0 ? head.baseFingerprint : known
    guard !head.marks.contains(.hasRuns), head.base == 0 || start != 0 else {
      return (column, true)
    }
    // The fingerprints in between are in the marks.
    var running = head.floorHistory
    let found = column.fingerprint(after: head.base, from: start) {
      running.append($1, at: $0)
    }
    column.history = running
    guard let told = head.fingerprint else {
      column.fingerprint = found
      return (column, true)
    }
    return (column, told == found)
  }
}

extension KillLog {
  /// Reads the kills of a parcel's column.
  @usableFromInline
  init(
    parcelFrom reader: inout ByteReader, of head: ParcelHead, told: KnownHeads
  ) throws(DecodingFailure) {
    if head.marks.contains(.hasKills) {
      let start = reader.offset
      try self.init(
        from: &reader, after: head.base, upTo: head.seen, replicas: told.replicas)
      guard !entries.isEmpty else {
        throw DecodingFailure(.notCanonical("a list of no removals"), at: start)
      }
      return
    }
    self.init(floor: head.base)
    if head.marks.contains(.replacesOwn) { try readReplaced(from: &reader, of: head) }
  }

  private mutating func readReplaced(
    from reader: inout ByteReader, of head: ParcelHead
  ) throws(DecodingFailure) {
    var event = head.base
    var age: UInt64 = 1
    while event < head.seen {
      let start = reader.offset
      let step = try reader.readVarint()
      guard step >> 1 != 0 || event == head.base else {
        throw DecodingFailure(.notCanonical("two runs of removals for one"), at: start)
      }
      let difference = Int64(bitPattern: step >> 2) ^ -Int64(bitPattern: step >> 1 & 1)
      let more = step & 1 == 1 ? try reader.readVarint() : 0
      age &+= UInt64(bitPattern: difference)
      // The first event of a run has the fewest events before it.
      guard age >= 1, age <= event, more < head.seen - event - step & 1 else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      for _ in 0..<1 + (step & 1) + more {
        event += 1
        entries.append(Entry(event: event, killed: Dot(head.replica, event - age)))
      }
    }
  }
}

/// Flags for the parts of a parcel's column that are written; the others follow from
/// earlier data.
@frozen
@usableFromInline
struct ParcelMarks: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The replica is new on this stream: its identifier follows.
  @inlinable static var isNew: ParcelMarks { ParcelMarks(rawValue: 1) }
  /// The events don't continue from the last ones sent: their base follows.
  @inlinable static var hasBase: ParcelMarks { ParcelMarks(rawValue: 2) }
  /// The fingerprint does not follow from the rows: it follows here, with the marks kept
  /// between the base and the last event.
  @inlinable static var hasFingerprint: ParcelMarks { ParcelMarks(rawValue: 4) }
  /// There are several events: their number follows.
  @inlinable static var hasCount: ParcelMarks { ParcelMarks(rawValue: 8) }
  /// Not every event has a row: the runs of those that have follow.
  @inlinable static var hasRuns: ParcelMarks { ParcelMarks(rawValue: 16) }
  /// Each event killed one row of the same replica: the ages of the rows follow.
  @inlinable static var replacesOwn: ParcelMarks { ParcelMarks(rawValue: 32) }
  /// The events killed rows: a list of them follows.
  @inlinable static var hasKills: ParcelMarks { ParcelMarks(rawValue: 64) }

  /// Stretches begin among the events, or the fingerprints have another origin than was
  /// sent before: the origin and the stretches follow.
  @inlinable static var hasStretches: ParcelMarks { ParcelMarks(rawValue: 128) }

  /// Whether there are flags that no writer sets.
  @inlinable
  var isStrange: Bool {
    contains(.replacesOwn) && !isDisjoint(with: [.hasKills, .hasRuns])
  }
}
