/// The form of a small delta on a stream, which omits what was sent before.
///
/// Most of a small delta was sent before: the replicas, the events on which it builds,
/// and their fingerprints. A parcel has one column after another, in ascending order of
/// replicas. Each column continues from the last one of its replica, unless it says
/// otherwise. A fingerprint that follows from the rows is omitted: both sides compute it.
extension DotTable.Delta {
  /// The number of rows and elements of texts in the new columns; `nil` if the delta lists
  /// living rows, which takes a transfer.
  @inlinable
  var parcelRows: Int? {
    guard case .kills = removals else { return nil }
    return columns.indices.reduce(0) {
      let texts = columns[$1].texts
      return $0 &+ columns[$1].rowCount &+ (texts.isEmpty ? 0 : texts.count)
    }
  }

  /// Writes the new columns, relative to the heads that were sent.
  @inlinable
  func encodeParcel(to writer: inout ByteWriter, after told: KnownHeads) {
    var next = 0
    var last: Row<Key, Payload>?
    var before: ParcelMarks = []
    for column in columns {
      let base = self.base[column.replica]
      guard column.seen > base else { continue }
      let place = told.place(of: column.replica, from: next)
      let entry = told.has(column.replica, at: place) ? told.entries[place] : nil
      let part = ParcelPart(column, base: base, told: entry)
      let differs = part.marks != before
      writer.write(varint: UInt64(place &- next) &<< 1 | (differs ? 1 : 0))
      if differs { writer.write(part.marks.rawValue) }
      before = part.marks
      part.encodeHead(of: column, to: &writer)
      column.forEachRow { _, row in
        row.key.encode(to: &writer, after: last?.key)
        row.payload.encode(to: &writer, after: last?.payload)
        last = row
      }
      if part.hasTexts {
        column.texts.encode(to: &writer, after: base, replicas: told.replicas)
      }
      part.encodeKills(of: column, to: &writer, after: told)
      next = entry == nil ? place : place &+ 1
    }
  }

  /// Reads a parcel from ``encodeParcel(to:after:)``, up to the end.
  ///
  /// Its base has only the replicas of its own columns: all else that the table has seen
  /// belongs to it as well.
  ///
  /// - Parameters:
  ///   - reader: A reader at the first column.
  ///   - told: The heads that were sent before, as the writer had them.
  ///   - table: The events known here.
  ///   - forked: Set to a replica if the fingerprint of its events differs from the
  ///     written one, although their base is known: the writer's events continue from
  ///     others.
  /// - Throws: ``DecodingFailure`` if the bytes are not a valid parcel.
  /// - Complexity: O(length of the parcel · log replicas); O(number of replicas) more if it
  ///   names many.
  @inlinable
  init(
    parcelFrom reader: inout ByteReader, after told: KnownHeads, in table: DotTable,
    forked: inout ReplicaID?
  ) throws(DecodingFailure) {
    self.init(base: [:], columns: [])
    var next = 0
    var rows = PlainRowReader<Key, Payload>(from: &reader)
    var marks: ParcelMarks = []
    while reader.remaining > 0 {
      let start = reader.offset
      let step = try reader.readVarint()
      if step & 1 == 1 {
        let other = ParcelMarks(rawValue: try reader.readByte())
        guard !other.isStrange, other != marks else {
          throw DecodingFailure(.invalidValue("the marks of a parcel"), at: start)
        }
        marks = other
      }
      guard step &>> 1 <= UInt64(told.replicas.count &- next) else {
        throw DecodingFailure(.outOfBounds("a replica's place"), at: start)
      }
      let place = next &+ Int(step &>> 1)
      let head = try ParcelHead(
        marks, at: place, after: columns.last?.replica, told: told, from: &reader)
      let (column, isGenuine) = try DotTable.Replica.read(
        head, rowsFrom: &reader, reading: &rows, told: told,
        known: table.fingerprint(of: head.replica, at: head.base))
      if !isGenuine { forked = head.replica }
      if head.base > 0 { base.entries.append(VersionVector.Entry(head.replica, head.base)) }
      columns.append(column)
      next = marks.contains(.isNew) ? place : place &+ 1
    }
    rows.finish(&reader)
    guard !columns.isEmpty else { throw reader.failure(.truncated) }
  }
}

extension DotTable {
  /// The fingerprint of a replica's first events; 0 if unknown.
  @inlinable
  func fingerprint(of replica: ReplicaID, at counter: UInt64) -> UInt32 {
    guard counter > 0, let place = column(of: replica) else { return 0 }
    if columns[place].seen == counter { return columns[place].fingerprint }
    return columns[place].history.fingerprint(at: counter) ?? 0
  }
}

/// The form of a column's new events in a parcel.
@frozen
@usableFromInline
struct ParcelPart {
  @usableFromInline let base: UInt64
  /// The fingerprint of the base; 0 if unknown.
  @usableFromInline let baseFingerprint: UInt32
  /// The last mark up to the base; 0 if unknown.
  @usableFromInline let floor: UInt32
  /// The stretches that begin among the events, with the preceding one.
  @usableFromInline let stretches: Stretches
  @usableFromInline let runs: CounterRuns
  /// Whether elements of texts follow the rows.
  @usableFromInline let hasTexts: Bool
  @usableFromInline var marks: ParcelMarks = []

  @inlinable
  init<Key, Payload>(_ column: Column<Key, Payload>, base: UInt64, told: KnownHeads.Entry?) {
    self.base = base
    runs = column.rowRuns()
    hasTexts = !column.texts.isEmpty
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
    // Only if each event has a row: then the rows limit what a reader allocates.
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
    if marks.contains(.hasRuns) { runs.encode(to: &writer, after: base, hasTexts: hasTexts) }
  }

  @inlinable
  func encodeKills<Key, Payload>(
    of column: Column<Key, Payload>, to writer: inout ByteWriter, after told: KnownHeads
  ) {
    if marks.contains(.replacesOwn) {
      encodeAges(of: column.kills.entries(after: base), to: &writer)
    } else if marks.contains(.hasKills) {
      column.kills.encode(to: &writer, after: base, replicas: told.replicas)
    }
  }
}

extension ParcelPart {
  /// Writes how much older each killed row was than its event, in runs of equal ages.
  @inlinable
  func encodeAges(of kills: KillLog.Part, to writer: inout ByteWriter) {
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
  /// The difference of the event's counter and the killed row's, if one replica made
  /// both.
  @inlinable
  var age: UInt64 { event &- killed.counter }
}

extension Column {
  /// Whether each event after a base killed exactly one row of the same replica.
  @inlinable
  func replacesOwn(_ kills: KillLog.Part, after base: UInt64) -> Bool {
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
