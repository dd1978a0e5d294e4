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

  /// Writes which events have rows, then the rows: each key and payload after the
  /// ones before.
  @inlinable
  func encodeRows(to writer: inout ByteWriter, after base: UInt64) {
    rowRuns().encode(to: &writer, after: base)
    var last: Row<Key, Payload>?
    for sheet in sheets {
      sheet.page.withRows { rows in
        // Where the row before stands in the same page it is not copied.
        for place in rows.indices {
          let previous = place > 0 ? rows[place &- 1] : last
          rows[place].key.encode(to: &writer, after: previous?.key)
          rows[place].payload.encode(to: &writer, after: previous?.payload)
        }
        last = rows.last ?? last
      }
    }
  }

  /// The runs of counters that have rows.
  @inlinable
  func rowRuns() -> Survivors {
    var runs = Survivors()
    for sheet in sheets {
      let page = sheet.page
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

  /// Reads a column's rows.
  @inlinable
  init<Rows: RowReader>(
    _ head: ColumnHeads.Head, rowsFrom reader: inout ByteReader, reading _: Rows.Type
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    self.init(
      replica: head.replica, seen: head.seen, fingerprint: head.fingerprint,
      origin: head.origin)
    history = head.history
    stretches = head.stretches
    let runs = try Survivors(from: &reader, after: head.base, upTo: head.seen)
    var rows = Rows(from: &reader)
    do {
      try readRows(of: runs, from: &reader, reading: &rows)
    } catch {
      rows.finish(&reader)
      throw error
    }
    rows.finish(&reader)
  }

  /// Reads the rows of events, of which there are none yet.
  @inlinable
  mutating func readRows<Rows: RowReader>(
    of runs: Survivors, from reader: inout ByteReader, reading rows: inout Rows
  ) throws(DecodingFailure) where Rows.Key == Key, Rows.Payload == Payload {
    let count = runs.count
    // Rows take a byte or more, so the input bounds what is allocated. (Where keys
    // and payloads take none, all rows have one key, and a replica has one row.)
    let start = reader.offset
    guard count <= UInt64(reader.remaining) + 1 else {
      throw reader.failure(.outOfBounds("the number of rows"))
    }
    var builder = PageBuilder<Key, Payload>(seen: seen, expecting: Int(count))
    for run in runs.runs {
      try builder.append(run) { () throws(DecodingFailure) in try rows.next(from: &reader) }
    }
    guard count <= UInt64(reader.offset - start) + 1 else {
      throw DecodingFailure(.outOfBounds("the number of rows"), at: start)
    }
    sheets = SharedList(builder.finish())
    rowCount = Int(count)
  }
}

extension Survivors {
  /// Adds a run of counters above all before.
  @inlinable
  mutating func append(_ first: UInt64, count: UInt64) {
    if let last = runs.last, last.upperBound &+ 1 == first {
      runs[runs.count &- 1] = last.lowerBound...(first &+ count &- 1)
    } else {
      runs.append(first...(first &+ count &- 1))
    }
  }
}
