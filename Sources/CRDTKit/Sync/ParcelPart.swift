/// How a column's new events are written in a parcel.
@frozen
@usableFromInline
struct ParcelPart {
  @usableFromInline let base: UInt64
  @usableFromInline let baseFingerprint: UInt32
  @usableFromInline let runs: Survivors
  @usableFromInline var marks: ParcelMarks = []

  @inlinable
  init<Key, Payload>(_ column: Column<Key, Payload>, base: UInt64, told: ToldHeads.Entry?) {
    self.base = base
    runs = column.rowRuns()
    let known = base == 0 ? 0 : column.history.fingerprint(at: base)
    if told == nil { marks.insert(.isNew) }
    if let told, told.seen == base, known == nil || known == told.fingerprint {
      baseFingerprint = told.fingerprint
    } else {
      baseFingerprint = known ?? 0
      if told != nil || base > 0 { marks.insert(.hasBase) }
    }
    let count = column.seen &- base
    if count > 1 { marks.insert(.hasCount) }
    let isWhole = runs.runs.count == 1 && runs.count == count
    if !isWhole { marks.insert(.hasRuns) }
    let kills = column.kills.entries(after: base)
    // Only where there is a row for each: then the rows bound what a reader makes.
    if isWhole, column.replacesOwn(kills, after: base) {
      marks.insert(.replacesOwn)
    } else if !kills.isEmpty {
      marks.insert(.hasKills)
    }
    let isKnown = base == 0 || baseFingerprint != 0
    if !isWhole || !isKnown
      || column.fingerprint(after: base, from: baseFingerprint) != column.fingerprint
    {
      marks.insert(.hasFingerprint)
    }
  }

  @inlinable
  func encodeHead<Key, Payload>(of column: Column<Key, Payload>, to writer: inout ByteWriter) {
    if marks.contains(.isNew) { column.replica.encode(to: &writer) }
    if marks.contains(.hasBase) {
      writer.write(varint: base)
      if base > 0 { writer.write(fixed: baseFingerprint) }
    }
    if marks.contains(.hasCount) { writer.write(varint: column.seen &- base) }
    if marks.contains(.hasFingerprint) { writer.write(fixed: column.fingerprint) }
    if marks.contains(.hasRuns) { runs.encode(to: &writer, after: base) }
  }

  @inlinable
  func encodeKills<Key, Payload>(
    of column: Column<Key, Payload>, to writer: inout ByteWriter, after told: ToldHeads
  ) {
    if marks.contains(.replacesOwn) {
      encodeAges(of: column.kills.entries(after: base), to: &writer)
    } else if marks.contains(.hasKills) {
      column.kills.encode(to: &writer, after: base, replicas: told.replicas)
    }
  }
}

extension ParcelPart {
  /// Writes how much older than its event each killed row was, in runs of equal ages.
  @inlinable
  func encodeAges(of kills: ArraySlice<KillLog.Entry>, to writer: inout ByteWriter) {
    var last: UInt64 = 1
    var rest = kills
    while let first = rest.first {
      let age = first.age
      let run = rest.prefix { $0.age == age }.count
      let step = Int64(bitPattern: age &- last)
      let zigzag = UInt64(bitPattern: (step &<< 1) ^ (step &>> 63))
      writer.write(varint: zigzag &<< 1 | (run > 1 ? 1 : 0))
      if run > 1 { writer.write(varint: UInt64(run &- 2)) }
      last = age
      rest = rest.dropFirst(run)
    }
  }
}

extension KillLog.Entry {
  /// How much less the killed row's counter is than the event's, where one replica made
  /// both.
  @inlinable
  var age: UInt64 { event &- killed.counter }
}

extension Column {
  /// Whether each event after a base killed one row of the same replica.
  @inlinable
  func replacesOwn(_ kills: ArraySlice<KillLog.Entry>, after base: UInt64) -> Bool {
    guard !kills.isEmpty, UInt64(kills.count) == seen &- base else { return false }
    var event = base
    for entry in kills {
      event &+= 1
      guard entry.event == event, entry.killed.replica == replica, entry.killed.counter < event
      else { return false }
    }
    return true
  }

  /// The fingerprint that the events after a base come to, if each of them has its row
  /// here, from the one that the base had; the body is told what it was after each event
  /// but the last.
  @inlinable
  func fingerprint(
    after base: UInt64, from start: UInt32,
    between: (_ counter: UInt64, _ fingerprint: UInt32) -> Void = { _, _ in }
  ) -> UInt32 {
    var running = start
    var kills = self.kills.entries(after: base)
    forEachRow { counter, row in
      if counter > base &+ 1 { between(counter &- 1, running) }
      running = Self.fold(Self.content(of: row), into: running)
      while let entry = kills.first, entry.event == counter {
        running = Self.fold(entry.killed.replica.rawValue ^ entry.killed.counter, into: running)
        kills = kills.dropFirst()
      }
    }
    return running
  }
}
