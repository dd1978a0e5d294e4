extension Column {
  @inlinable
  func head(after base: UInt64) -> ColumnHeads.Head {
    guard seen > base else {
      return ColumnHeads.Head(
        known: VersionVector.Entry(replica, seen), mark: knownMark(for: seen))
    }
    return ColumnHeads.Head(
      replica: replica, base: base, seen: seen, fingerprint: fingerprint, origin: origin,
      history: history, stretches: stretches.isEmpty ? stretches : stretches.part(after: base))
  }

  /// Encodes the counters of the rows, then the rows in sections, each key and payload
  /// relative to the ones before, then the elements of texts.
  @inlinable
  func encodeRows(to writer: inout ByteWriter, after base: UInt64, replicas: [ReplicaID]) {
    let runs = rowRuns()
    runs.encode(to: &writer, after: base, hasTexts: !texts.isEmpty)
    defer { if !texts.isEmpty { texts.encode(to: &writer, after: base, replicas: replicas) } }
    var section = RowSection.Encoding(RowSection.sections(of: runs))
    // By address, because a copy of each row would take longer than its encoding.
    var previous: UnsafeMutablePointer<Row<Key, Payload>>?
    for pageSlot in pageSlots {
      pageSlot.page.forEachStretch(of: pageSlot.page.live) { _, rows, count in
        for place in 0..<count {
          let row = rows + place
          if section.advance(&writer) { previous = nil }
          Key._encode(Row.key(of: row), after: previous.map(Row.key), to: &writer)
          Payload._encode(Row.payload(of: row), after: previous.map(Row.payload), to: &writer)
          previous = row
        }
      }
    }
  }

  /// Returns the runs of counters that have rows.
  @inlinable
  func rowRuns() -> CounterRuns {
    var runs = CounterRuns()
    for pageSlot in pageSlots {
      let page = pageSlot.page
      let live = page.live
      var slot = live.next(from: 0)
      while slot < LiveBits.slotCount {
        let end = page.isDense ? live.nextGap(from: slot) : slot &+ 1
        runs.append(page.counter(at: slot), count: UInt64(end &- slot))
        slot = live.next(from: end)
      }
    }
    return runs
  }

  /// Decodes a column's rows from their sections.
  @inlinable
  init<Rows: RowReader>(
    _ head: borrowing ColumnHeads.Head, rowsFrom reader: inout ByteReader, reading _: Rows.Type,
    replicas: [ReplicaID]
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    // Decode before creating the column, so that it need not be destroyed if decoding
    // fails.
    let (runs, hasTexts) = try CounterRuns.read(from: &reader, after: head.base, upTo: head.seen)
    let (pageSlots, rowCount) = try Self.readPages(
      of: head, at: runs, from: &reader, reading: Rows.self)
    let texts =
      hasTexts
      ? try TextColumn(
        from: &reader, after: head.base, upTo: head.seen, of: head.replica, besides: runs,
        replicas: replicas) : TextColumn()
    self.init(
      replica: head.replica, seen: head.seen, fingerprint: head.fingerprint,
      origin: head.origin)
    history = head.history
    stretches = head.stretches
    self.pageSlots = pageSlots
    self.rowCount = rowCount
    self.texts = texts
  }

  @inlinable
  static func readPages<Rows: RowReader>(
    of head: borrowing ColumnHeads.Head, at runs: CounterRuns, from reader: inout ByteReader,
    reading _: Rows.Type
  ) throws(DecodingFailure) -> (SharedList<PageSlot>, Int)
  where Rows.Key == Key, Rows.Payload == Payload {
    let count = try Self.boundedCount(of: runs, in: &reader)
    let start = reader.offset
    let sections = reader.formatVersion > 1 ? RowSection.sections(of: runs) : []
    var builder = PageBuilder<Key, Payload>(seen: head.seen, expecting: count)
    var rest = runs.runs[...]
    var memory: CodingMemory?
    for section in sections.dropLast() {
      let length = try reader.readCount(of: "bytes")
      let end = reader.offset + length
      swap(&reader.memory, &memory)
      reader.memory?.forget()
      try read(&rest, upTo: section.end, into: &builder, from: &reader, reading: Rows.self)
      swap(&reader.memory, &memory)
      guard reader.offset == end else { throw reader.failure(.notCanonical("a section's length")) }
    }
    try read(&rest, upTo: .max, into: &builder, from: &reader, reading: Rows.self)
    return (try pageSlots(of: &builder, count, since: start, reader), count)
  }

  /// Decodes the rows of the next runs, up to the counter at which a section ends.
  @inlinable
  static func read<Rows: RowReader>(
    _ runs: inout ArraySlice<ClosedRange<UInt64>>, upTo end: UInt64,
    into builder: inout PageBuilder<Key, Payload>, from reader: inout ByteReader,
    reading _: Rows.Type
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    var rows = Rows(from: &reader)
    do {
      while let run = runs.first, run.lowerBound <= end {
        let part = run.lowerBound...Swift.min(run.upperBound, end)
        try builder.append(part) { () throws(DecodingFailure) in try rows.next(from: &reader) }
        if run.upperBound > end {
          runs[runs.startIndex] = end &+ 1...run.upperBound
        } else {
          runs.removeFirst()
        }
      }
    } catch {
      rows.finish(&reader)
      throw error
    }
    rows.finish(&reader)
  }

  /// Decodes the rows of a column that has none yet, without sections.
  @inlinable
  mutating func readRows<Rows: RowReader>(
    of runs: CounterRuns, from reader: inout ByteReader, reading rows: inout Rows
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    let count = try Self.boundedCount(of: runs, in: &reader)
    let start = reader.offset
    var builder = PageBuilder<Key, Payload>(seen: seen, expecting: count)
    for run in runs.runs {
      try builder.append(run) { () throws(DecodingFailure) in try rows.next(from: &reader) }
    }
    pageSlots = try Self.pageSlots(of: &builder, count, since: start, reader)
    rowCount = count
  }

  /// The memory of a row, with its counter and its index entry.
  @inlinable
  static var rowSize: Int { MemoryLayout<Row<Key, Payload>>.stride &+ 32 }

  /// The memory of a column without its rows and marks: itself, its list of pages, and
  /// one page.
  @inlinable
  static var size: Int { MemoryLayout<Self>.stride &+ 512 }

  /// Returns the number of rows to decode, and throws if there are too few bytes for
  /// them.
  ///
  /// Each row takes at least a byte, so the input bounds the allocated memory. (If keys
  /// and payloads take no bytes, all rows have the same key, and a replica has one row.)
  @inlinable
  static func boundedCount(
    of runs: CounterRuns, in reader: inout ByteReader
  ) throws(DecodingFailure) -> Int {
    let count = runs.count
    guard count <= UInt64(reader.remaining) + 1 else {
      throw reader.failure(.outOfBounds("the number of rows"))
    }
    try reader.count(memory: Int(count) * rowSize)
    return Int(count)
  }

  /// Returns the pages of the given number of decoded rows.
  @inlinable
  static func pageSlots(
    of builder: inout PageBuilder<Key, Payload>, _ count: Int, since start: Int,
    _ reader: borrowing ByteReader
  ) throws(DecodingFailure) -> SharedList<PageSlot> {
    guard count <= reader.offset - start + 1 else {
      throw DecodingFailure(.outOfBounds("the number of rows"), at: start)
    }
    return SharedList(builder.finish())
  }
}

extension CounterRuns {
  /// Adds a run of counters, which must be greater than all before.
  @inlinable
  mutating func append(_ first: UInt64, count: UInt64) {
    if let last = runs.last, last.upperBound &+ 1 == first {
      runs[runs.count &- 1] = last.lowerBound...(first &+ count &- 1)
    } else {
      runs.append(first...(first &+ count &- 1))
    }
  }
}

/// A decoder of a column's rows, each relative to the one before.
///
/// A row type may have a decoder of its own that keeps less of the previous row than a
/// copy.
@usableFromInline
package protocol RowReader {
  associatedtype Key: Hashable & CanonicalCodable
  associatedtype Payload: CanonicalCodable

  /// Begins decoding a column.
  init(from reader: inout ByteReader)

  /// Decodes the next row.
  mutating func next(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> Row<Key, Payload>

  /// Ends decoding the column, even after an error.
  consuming func finish(_ reader: inout ByteReader)
}

/// Decodes rows by decoding their keys and payloads.
@frozen
@usableFromInline
struct PlainRowReader<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: RowReader {
  @usableFromInline var previous: Row<Key, Payload>?

  @inlinable
  init(from reader: inout ByteReader) {}

  @inlinable
  mutating func next(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> Row<Key, Payload> {
    let key = try Key(from: &reader, after: previous?.key)
    let payload = try Payload(from: &reader, after: previous?.payload)
    let row = Row(key: key, payload: payload)
    previous = row
    return row
  }

  @inlinable
  consuming func finish(_ reader: inout ByteReader) {}
}
