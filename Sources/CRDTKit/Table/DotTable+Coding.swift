extension DotTable {
  @inlinable
  package func encode(to writer: inout ByteWriter) {
    ColumnHeads(ContiguousArray(columns.map { $0.head(after: 0) })).encodeState(to: &writer)
    let replicas = columns.map { $0.replica }
    for column in columns { column.encodeRows(to: &writer, after: 0, replicas: replicas) }
  }

  @inlinable
  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, reading: PlainRowReader<Key, Payload>.self)
  }

  @inlinable
  init<Rows: RowReader>(
    from reader: inout ByteReader, reading rows: Rows.Type
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    let heads = try ColumnHeads(stateFrom: &reader)
    var columns: ContiguousArray<Replica> = []
    try reader.count(memory: heads.heads.count * Replica.size)
    columns.reserveCapacity(heads.heads.count)
    let replicas = heads.heads.map { $0.replica }
    for head in heads.heads {
      columns.append(try Column(head, rowsFrom: &reader, reading: rows, replicas: replicas))
    }
    self.init(columns: columns)
    checkInvariants()
  }

  /// Returns whether all events described by skimmed heads have been seen here and are
  /// the same, as far as the column's marks show.
  @inlinable
  func comesTo(_ heads: ColumnHeads) -> Bool {
    heads.heads.allSatisfy { head in
      column(of: head.replica).map { columns[$0].comesTo(head) } ?? false
    }
  }

  /// Returns whether all events described by the heads of encoded bytes have been seen
  /// here.
  ///
  /// If so, the checksum need not be verified. It is verified before a gap or a fork is
  /// reported.
  @inlinable
  func hasSeen(_ heads: ColumnHeads, in bytes: [UInt8]) throws(DeltaError) -> Bool {
    do {
      return try hasSeen(heads)
    } catch {
      try DeltaError.wrap { () throws(DecodingFailure) in
        try BinaryFormat.verifyChecksum(of: bytes)
      }
      throw error
    }
  }

  /// Returns whether all events described by the heads have been seen here.
  ///
  /// - Throws: ``DeltaError/gap(missing:)`` or ``DeltaError/fork(_:)`` if the rows that
  ///   follow can't be merged.
  @inlinable
  func hasSeen(_ heads: ColumnHeads) throws(DeltaError) -> Bool {
    var isKnown = true
    var isGap = false
    for head in heads.heads {
      guard let place = column(of: head.replica) else {
        isKnown = isKnown && !head.isNew
        isGap = isGap || head.base > 0
        continue
      }
      let seen = columns[place].seen
      isGap = isGap || head.base > seen
      isKnown = isKnown && head.seen <= seen
      let isFork =
        head.isNew
        ? columns[place].contradicts(head)
        : columns[place].contradicts(head.known, upTo: head.base)
      if isFork {
        throw .fork(head.replica)
      }
    }
    if isGap { throw .gap(missing: heads.base.subtracting(version)) }
    return isKnown
  }
}

extension DotTable.Delta {
  @inlinable
  package func encode(to writer: inout ByteWriter) {
    heads.encodeDelta(to: &writer)
    // Columns are read in place, because copying one copies all its references. A key path
    // instead of the closure would prevent specialization here.
    let replicas = Array(
      columns.indices.lazy.filter { columns[$0].seen > base[columns[$0].replica] }
        .map { columns[$0].replica })
    for column in columns where column.seen > base[column.replica] {
      column.encodeRows(to: &writer, after: base[column.replica], replicas: replicas)
    }
    switch removals {
    case .kills:
      writer.write(0 as UInt8)
      for column in columns {
        column.kills.encode(to: &writer, after: base[column.replica], replicas: replicas)
      }
    case .survivors(let survivors):
      writer.write(1 as UInt8)
      for (column, alive) in zip(columns, survivors) where base[column.replica] > 0 {
        alive.encode(to: &writer)
      }
    }
  }

  @inlinable
  var heads: ColumnHeads {
    var heads: ContiguousArray<ColumnHeads.Head> = []
    var next = 0
    for column in columns {
      while next < base.count, base[next].replica < column.replica {
        heads.append(knownHead(next))
        next += 1
      }
      let isInBase = next < base.count && base[next].replica == column.replica
      let known = isInBase ? base[next].counter : 0
      heads.append(column.seen > known ? column.head(after: known) : knownHead(next))
      if isInBase { next += 1 }
    }
    while next < base.count {
      heads.append(knownHead(next))
      next += 1
    }
    return ColumnHeads(heads)
  }

  @inlinable
  func knownHead(_ place: Int) -> ColumnHeads.Head {
    ColumnHeads.Head(
      known: base[place], mark: place < baseMarks.count ? baseMarks[place] : KnownMark())
  }

  @inlinable
  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, reading: PlainRowReader<Key, Payload>.self)
  }

  @inlinable
  init<Rows: RowReader>(
    from reader: inout ByteReader, reading rows: Rows.Type
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    let heads = try ColumnHeads(deltaFrom: &reader)
    self.init(base: heads.base, marks: heads.baseMarks, columns: [])
    try reader.count(memory: heads.heads.count * DotTable.Replica.size)
    columns.reserveCapacity(heads.heads.count)
    let replicas = heads.heads.filter { $0.isNew }.map { $0.replica }
    for place in heads.heads.indices where heads.heads[place].isNew {
      columns.append(
        try Column(heads.heads[place], rowsFrom: &reader, reading: rows, replicas: replicas))
    }
    let start = reader.offset
    switch try reader.readByte() {
    case 0:
      for place in columns.indices {
        columns[place].kills = try KillLog(
          from: &reader, after: base[columns[place].replica], upTo: columns[place].seen,
          replicas: replicas)
      }
    case 1:
      try readSurvivors(of: heads, from: &reader)
    default:
      throw DecodingFailure(.invalidValue("an unknown kind of delta"), at: start)
    }
  }

  @inlinable
  mutating func readSurvivors(
    of heads: ColumnHeads, from reader: inout ByteReader
  ) throws(DecodingFailure) {
    var all: ContiguousArray<DotTable.Replica> = []
    var survivors: ContiguousArray<LiveEvents> = []
    var next = 0
    for head in heads.heads {
      if head.isNew {
        all.append(columns[next])
        next += 1
      } else {
        all.append(Column(replica: head.replica, seen: head.seen))
      }
      survivors.append(
        head.base > 0 ? try LiveEvents(from: &reader, upTo: head.base) : LiveEvents())
    }
    columns = all
    removals = .survivors(survivors)
  }
}

extension KillLog {
  /// Encodes the number of entries, then each entry.
  ///
  /// An entry consists of the difference from the previous event, and the removed rows.
  /// These are encoded as twice the index, from 1, of their replica among those with new
  /// events, or as twice 0 and the replica; then as the difference from the previous
  /// counter. If there are further rows, the first number is one greater, and their
  /// number follows.
  @usableFromInline
  func encode(to writer: inout ByteWriter, after base: UInt64, replicas: [ReplicaID]) {
    writer.write(varint: UInt64(entries.count))
    var event = base
    var counter: UInt64 = 0
    for entry in entries {
      writer.write(varint: entry.event - event)
      let place = replicas.place(of: entry.killed.replica)
      writer.write(varint: (place.map { UInt64($0 + 1) } ?? 0) << 1 | (entry.count > 1 ? 1 : 0))
      if place == nil { entry.killed.replica.encode(to: &writer) }
      writer.write(signedVarint: Int64(bitPattern: entry.killed.counter &- counter))
      if entry.count > 1 { writer.write(varint: entry.count - 1) }
      event = entry.event
      counter = entry.counters.upperBound
    }
  }

  /// Decodes the removals of the events after `base`, up to `seen`.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64, replicas: [ReplicaID]
  ) throws(DecodingFailure) {
    var entries: ContiguousArray<Entry> = []
    var event = base
    var counter: UInt64 = 0
    let count = try reader.readCount(of: "removals")
    try reader.makeRoom(for: count, in: &entries)
    for _ in 0..<count {
      let start = reader.offset
      let later = try reader.readVarint()
      guard later <= seen - event, event + later > base else {
        throw DecodingFailure(.outOfBounds("the event of a removal"), at: start)
      }
      event += later
      let word = try reader.readVarint()
      let isLone = reader.formatVersion == 1 || word & 1 == 0
      let replica = try Self.readReplica(
        at: reader.formatVersion == 1 ? word : word >> 1, among: replicas, from: &reader, start)
      counter &+= UInt64(bitPattern: try reader.readSignedVarint())
      let more = isLone ? 0 : try reader.readVarint()
      guard counter >= 1, counter <= Dot.counterMax, more <= Dot.counterMax - counter else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      let entry = Entry(event: event, killed: Dot(replica, counter), count: more + 1)
      counter += more
      guard let last = entries.last, last.event == event, last.isContinued(by: entry.killed)
      else {
        guard isLone || more > 0 else {
          throw DecodingFailure(.notCanonical("the number of further removals"), at: start)
        }
        entries.append(entry)
        continue
      }
      guard reader.formatVersion == 1 else {
        throw DecodingFailure(.notCanonical("two runs of removals for one"), at: start)
      }
      entries[entries.count - 1] = Entry(
        event: event, killed: last.killed, count: last.count + 1)
    }
    self.init(floor: base, entries: entries)
  }

  private static func readReplica(
    at place: UInt64, among replicas: [ReplicaID], from reader: inout ByteReader, _ start: Int
  ) throws(DecodingFailure) -> ReplicaID {
    guard place <= UInt64(replicas.count) else {
      throw DecodingFailure(.outOfBounds("the replica of a removal"), at: start)
    }
    let replica = place == 0 ? try ReplicaID(from: &reader) : replicas[Int(place) - 1]
    guard place > 0 || replicas.place(of: replica) == nil else {
      throw DecodingFailure(.notCanonical("the replica of a removal"), at: start)
    }
    return replica
  }
}

extension [ReplicaID] {
  /// Returns the index of a replica among others in ascending order.
  func place(of replica: ReplicaID) -> Int? {
    let place = indices.partitioningIndex { self[$0] >= replica }
    return place < count && self[place] == replica ? place : nil
  }
}
