/// How a column's new events are written in a parcel.
@frozen
@usableFromInline
struct ParcelPart {
  @usableFromInline let base: UInt64
  /// The fingerprint of the base; 0 where it isn't known.
  @usableFromInline let baseFingerprint: UInt32
  /// The last mark up to the base; 0 where it isn't known.
  @usableFromInline let floor: UInt32
  /// The stretches that begin among the events, with the one before them.
  @usableFromInline let stretches: Stretches
  @usableFromInline let runs: Survivors
  @usableFromInline var marks: ParcelMarks = []

  @inlinable
  init<Key, Payload>(_ column: Column<Key, Payload>, base: UInt64, told: ToldHeads.Entry?) {
    self.base = base
    runs = column.rowRuns()
    let last = FingerprintHistory.lastKept(upTo: base, before: column.seen)
    floor = last >= column.origin ? column.history.fingerprint(at: last) ?? 0 : 0
    let known = last == base && floor != 0 ? floor : nil
    if told == nil { marks.insert(.isNew) }
    let isSame = (told?.origin ?? 0) == column.origin
    if let told, told.seen == base, !isSame || known == nil || known == told.fingerprint {
      baseFingerprint = isSame ? told.fingerprint : 0
    } else {
      baseFingerprint = known ?? 0
      if told != nil || base > 0 { marks.insert(.hasBase) }
    }
    stretches = column.stretches.isEmpty ? column.stretches : column.stretches.part(after: base)
    let isNews = stretches.last(upTo: column.seen).map { $0.first > base } ?? false
    if !isSame || isNews { marks.insert(.hasStretches) }
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
      if base > 0 { writer.write(fixed: floor) }
    }
    if marks.contains(.hasCount) { writer.write(varint: column.seen &- base) }
    if marks.contains(.hasStretches) {
      writer.write(varint: column.origin)
      stretches.encode(to: &writer)
    }
    if marks.contains(.hasFingerprint) {
      writer.write(fixed: column.fingerprint)
      FingerprintHistory.forEachKept(
        from: Swift.max(base &+ 1, column.origin), before: column.seen
      ) { writer.write(fixed: column.history.fingerprint(at: $0) ?? 0) }
    }
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
      guard entry.event == event, entry.count == 1, entry.killed.replica == replica,
        entry.killed.counter < event
      else { return false }
    }
    return true
  }
}
