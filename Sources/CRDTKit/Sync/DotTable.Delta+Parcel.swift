/// The form of a small delta on a stream, where most of what a delta says was told
/// before: who the replicas are, what the events go on from, and their fingerprints.
///
/// One column after another, in ascending order of replicas. Each goes on from what was
/// told of that replica last, unless it says otherwise. A fingerprint that follows from
/// the rows is left out: then both sides work it out alike.
extension DotTable.Delta {
  /// How many rows the new columns have, where a parcel can tell of them; `nil` where the
  /// delta lists what is left, which takes a transfer.
  @inlinable
  var parcelRows: Int? {
    guard case .kills = removals else { return nil }
    return columns.indices.reduce(0) { $0 &+ columns[$1].rowCount }
  }

  /// Writes all that is new, after what was told.
  @inlinable
  func encodeParcel(to writer: inout ByteWriter, after told: ToldHeads) {
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
      part.encodeKills(of: column, to: &writer, after: told)
      next = entry == nil ? place : place &+ 1
    }
  }

  /// Reads what ``encodeParcel(to:after:)`` wrote, up to the end.
  ///
  /// - Parameters:
  ///   - reader: Stands before the first column.
  ///   - told: What was told before, as the writer had it.
  ///   - table: What has been seen here. The writer knew it for what it leaves out, so
  ///     it may stand in the base in its place.
  ///   - forked: Set to a replica whose events don't come to the fingerprint that is
  ///     written, though it is known what they go on from: the writer's go on from others.
  /// - Throws: ``DecodingFailure`` where the bytes are not in order.
  /// - Complexity: O(number of replicas + length of the parcel).
  @inlinable
  init(
    parcelFrom reader: inout ByteReader, after told: ToldHeads, in table: DotTable,
    forked: inout ReplicaID?
  ) throws(DecodingFailure) {
    self.init(base: table.version, columns: [])
    var bases: ContiguousArray<VersionVector.Entry> = []
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
      if base[head.replica] != head.base {
        bases.append(VersionVector.Entry(head.replica, head.base))
      }
      columns.append(column)
      next = marks.contains(.isNew) ? place : place &+ 1
    }
    rows.finish(&reader)
    guard !columns.isEmpty else { throw reader.failure(.truncated) }
    base.replace(with: bases)
  }
}

extension DotTable.Delta {
  /// The same, but that of the base only what its own columns go on from is left: for
  /// who is known to have seen the rest.
  @inlinable
  var withNarrowBase: Self {
    var narrow: VersionVector = [:]
    for place in columns.indices {
      let known = base[columns[place].replica]
      if known > 0 {
        narrow.entries.append(VersionVector.Entry(columns[place].replica, known))
      }
    }
    return Self(base: narrow, columns: columns, removals: removals)
  }
}

extension DotTable {
  /// The fingerprint of a replica's first events; 0 where it isn't known.
  @inlinable
  func fingerprint(of replica: ReplicaID, at counter: UInt64) -> UInt32 {
    guard counter > 0, let place = column(of: replica) else { return 0 }
    if columns[place].seen == counter { return columns[place].fingerprint }
    return columns[place].history.fingerprint(at: counter) ?? 0
  }
}
