import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Counters that are removed, purged and made anew: what was counted comes once, and
/// what was removed doesn't come back.
@Suite("Counters that are made anew")
struct CounterPurgeTests {
  private typealias Map = MergeMap<String, PNCounter>

  private let a = ReplicaID(1)
  private let b = ReplicaID(2)

  private func counted(
    _ document: inout Document, _ amount: Int64, _ who: ReplicaID, _ time: UInt64
  )
    throws
  {
    try document.edit(at: DocumentTests.at(time, who)) {
      try $0.increment("n", of: "r", in: "c", by: amount)
    }
  }

  private func purged(_ document: inout Document, _ who: ReplicaID, _ time: UInt64) {
    document.edit(at: DocumentTests.at(time, who)) { edit in
      edit.delete("r", in: "c")
    }
    document.edit(at: DocumentTests.at(time + 1, who)) { edit in
      let count = edit.purge(retention: .zero)
      #expect(count == 1)
    }
  }

  @Test("a count that the purge had not seen comes into the new record, and no other")
  func notResurrected() throws {
    var (one, other) = (Document(), Document())
    try counted(&other, 5, b, 1)
    one.merge(other)
    purged(&one, a, 2)
    one.edit(at: DocumentTests.at(4, a)) { $0.set("t", of: "r", in: "c", to: "anew") }
    try counted(&other, 1, b, 5)
    for merged in [one.merging(other), other.merging(one)] {
      #expect(merged.fields(of: "r", in: "c") == ["t": "anew", "n": 1])
    }
  }

  @Test("a count in the new record isn't swallowed by a removal from the old one")
  func notSwallowed() throws {
    var (one, other) = (Document(), Document())
    try counted(&one, 5, a, 1)
    other.merge(one)
    other.edit(at: DocumentTests.at(2, b)) { $0.remove("n", of: "r", in: "c") }
    purged(&one, a, 2)
    try counted(&one, 2, a, 4)
    for merged in [one.merging(other), other.merging(one)] {
      #expect(merged.fields(of: "r", in: "c") == ["n": 2])
    }
  }

  @Test("documents and maps count as plain events say, in any schedule")
  func schedules() {
    let seeds: Range<UInt64> = 0..<(isLongRun ? 50_000 : isOptimized ? 500 : 150)
    if let failure = CounterSchedule.firstFailure(of: Document.self, seeds: seeds) {
      Issue.record("a document: \(failure)")
    }
    if let failure = CounterSchedule.firstFailure(of: Map.self, seeds: seeds) {
      Issue.record("a map: \(failure)")
    }
  }

  @Test("what a purge remembers of counters goes when all have seen it, and is enough")
  func forgotten() throws {
    var (one, other) = (Document(), Document())
    try counted(&other, 5, b, 1)
    one.merge(other)
    purged(&one, a, 2)
    #expect(one._table.rowCount == 1, "the trace of one counter")
    other.merge(one)
    for replicas in [[a], [b], [a, b]] as [Set<ReplicaID>] {
      var forgetting = one
      forgetting.edit(at: DocumentTests.at(9, a)) { edit in
        edit.purge(retention: .seconds(1), seenByAll: other.version, of: replicas)
      }
      #expect((forgetting == one) == !replicas.contains(b), "\(replicas)")
    }
    one.edit(at: DocumentTests.at(9, a)) { edit in
      let count = edit.purge(retention: .seconds(1), seenByAll: other.version)
      #expect(count == 0)
    }
    #expect(one._table.dots().map { one._table.row(at: $0)?.key } == [.forgottenTraces])
    #expect(one.collections == [] && one.orphanedRecords == [])
    // Who has not seen that yet counts in another life than the one that was purged.
    try counted(&other, 1, b, 10)
    one.merge(other)
    try counted(&one, 1, b, 11)
    #expect(one.fields(of: "r", in: "c") == ["n": 2])
    // Where no trace tells of earlier lives, the number of events does.
    purged(&one, a, 12)
    let seenByAll = one.version
    one.edit(at: DocumentTests.at(14, a)) { $0.purge(seenByAll: seenByAll) }
    #expect(one._table.rowCount == 1)
    try counted(&one, 1, b, 15)
    let row = one._table.dots().compactMap { dot -> UInt64? in
      guard case .counter(let row)? = one._table.row(at: dot)?.payload.content,
        case .laterTotal(_, let life) = row.content
      else { return nil }
      return life
    }
    #expect(row == [one.version[b]])
  }

  @Test("a mark that traces were forgotten is no record, and none that changed") func mark() throws
  {
    var (one, other) = (Document(), Document())
    try counted(&one, 5, a, 1)
    purged(&one, a, 2)
    other.merge(one)
    let seenByAll = one.version
    one.edit(at: DocumentTests.at(9, a)) { $0.purge(seenByAll: seenByAll) }
    let delta = one.delta(since: other.version)
    #expect(other.recordsChanged(by: delta) == [Document.RecordID("r", in: "c")])
    #expect(Document().recordsChanged(by: one.delta(since: [:])) == [])
  }

  @Test("counters of documents that purge nothing have the bytes that they had") func size() throws
  {
    var document = Document()
    for time in 1...200 as ClosedRange<UInt64> {
      try document.edit(at: DocumentTests.at(time, time % 2 == 0 ? a : b)) { edit in
        try edit.increment("n", of: "r\(time % 20)", in: "c")
      }
    }
    document._table.forEachRow { _, row in
      guard case .counter(let counter) = row.payload.content else { return }
      guard case .total = counter.content else {
        Issue.record("a row of a later life: \(counter)")
        return
      }
    }
  }

  @Test("rows of later lives are read as they were written, and only so") func bytes() throws {
    var trace = CounterTrace()
    trace.add(PNCounter.Total(increments: 5, decrements: 1), life: 0, of: a)
    trace.add(PNCounter.Total(increments: 2, decrements: 0), life: 300, of: b)
    let rows: [(CounterRow, [UInt8])] = [
      (CounterRow(PNCounter.Total(increments: 3, decrements: 1), life: 0), [0, 3, 1]),
      (CounterRow(PNCounter.Total(increments: 3, decrements: 1), life: 7), [2, 7, 3, 1]),
      (CounterRow(trace), []),
    ]
    for (row, bytes) in rows {
      var writer = ByteWriter()
      row.encode(to: &writer)
      let written = writer.withBytes { Array($0) }
      if !bytes.isEmpty { #expect(written == bytes) }
      var reader = ByteReader(written)
      let read = try CounterRow(from: &reader)
      #expect(read == row && reader.remaining == 0)
    }
    for bytes in [[2, 0, 3, 1], [4, 0], [3, 1, 0, 0, 0, 0, 0, 0, 0, 1, 5, 0, 0]] as [[UInt8]] {
      var reader = ByteReader(bytes)
      #expect(throws: DecodingFailure.self) { try CounterRow(from: &reader) }
    }
  }

  @Test("of two lives the later one counts, and within one the greater totals") func traces() {
    let total = { (count: UInt64) in PNCounter.Total(increments: count, decrements: 0) }
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
      var trace = CounterTrace()
      for place in order {
        var other = CounterTrace()
        other.add([total(9), total(3), total(4)][place], life: [0, 2, 2][place], of: a)
        other.add(total(1), life: 0, of: b)
        trace.merge(other)
      }
      #expect(trace[a]?.total == total(4) && trace[a]?.life == 2)
      #expect(trace[b]?.total == total(1) && trace[b]?.life == 0)
      #expect(trace[ReplicaID(9)] == nil)
    }
  }
}
