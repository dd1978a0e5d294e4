import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// What rows of counters say of stretches: how it joins, and its bytes.
@Suite("Counters in stretches")
struct CounterSpansTests {
  private typealias Map = MergeMap<String, PNCounter>
  private typealias Span = CounterSpans.Span

  private let a = ReplicaID(1)
  private let b = ReplicaID(2)

  @Test("each stretch that counts is noted once, and the last 64 are kept")
  func noted() throws {
    var (map, document) = (Map(), Document())
    for stretch in 1...68 as ClosedRange<UInt64> {
      map.beginStretch(of: a, nonce: UInt32(stretch))
      document.beginStretch(of: a, nonce: UInt32(stretch))
      for time in [2 * stretch, 2 * stretch + 1] {
        try map.update("n", by: a) { try $0.increment(5) }
        try document.edit(at: DocumentTests.at(time, a)) { edit in
          try edit.increment("n", of: "r", in: "c", by: 5)
        }
      }
    }
    for rows in [map.counterRows, document.counterRows] {
      let tally = try #require(rows.values.first?.tally(of: a))
      let expected = (5...68 as ClosedRange<UInt64>).map { stretch in
        let before = PNCounter.Total(increments: 10 * (stretch - 1), decrements: 0)
        return Span(number: stretch, life: 0, before: before)
      }
      #expect(rows.count == 1 && tally.total.increments == 680)
      #expect(Array(tally.spans.list) == expected)
    }
  }

  @Test("a new life in a stretch tells what there was of the one before")
  func lives() throws {
    var document = Document()
    document.beginStretch(of: a, nonce: 1)
    try count(&document, 5, 1)
    document.beginStretch(of: a, nonce: 2)
    document.edit(at: DocumentTests.at(2, a)) { $0.remove("n", of: "r", in: "c") }
    try count(&document, 3, 3)
    let tallies = document.counterRows.values.compactMap { $0.tally(of: a) }
    let before = PNCounter.Total(increments: 5, decrements: 0)
    #expect(tallies.map(\.life) == [1])
    #expect(
      tallies.first.map { Array($0.spans.list) } == [
        Span(number: 1, life: 0, before: .zero), Span(number: 2, life: 0, before: before),
      ])
  }

  private func count(_ document: inout Document, _ amount: Int64, _ time: UInt64) throws {
    try document.edit(at: DocumentTests.at(time, a)) { edit in
      try edit.increment("n", of: "r", in: "c", by: amount)
    }
  }

  @Test("where there are no stretches, rows have the bytes that they had")
  func plain() throws {
    var map = Map()
    try map.update("n", by: a) { try $0.increment(3) }
    var writer = ByteWriter()
    for row in map.counterRows.values { row.encode(to: &writer) }
    map.removeValue(forKey: "n", by: b)
    for row in map.counterRows.values { row.encode(to: &writer) }
    #expect(writer.finish() == [0, 3, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0])
  }

  @Test("rows with stretches are read as they were written")
  func bytes() throws {
    let spans = CounterSpans([span(1, 0, 2), span(4, 0, 5), span(5, 2, 1)])
    var trace = CounterTrace()
    trace.add(CounterTally(total(6), life: 2, spans: spans), of: a)
    trace.add(total(9), life: 0, of: b)
    let body: [UInt8] = [
      2, 0, 0, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0, 0, 0, 2, 9, 0,
      2, 3, 1, 0, 2, 0, 3, 0, 3, 0, 1, 2, 1, 0, 0, 0,
    ]
    for (row, bytes) in [
      (
        CounterRow(CounterTally(total(6), life: 2, spans: spans)),
        [4, 2, 6, 0, 3, 1, 0, 2, 0, 3, 0, 3, 0, 1, 2, 1, 0]
      ),
      (CounterRow(trace), [5] + body), (CounterRow(.totals(trace)), [6] + body),
    ] as [(CounterRow, [UInt8])] {
      #expect(written(row) == bytes)
      #expect(try read(bytes) == row)
    }
  }

  @Test(
    "what is out of bounds, or would be written otherwise, is refused",
    arguments: [
      // No spans; more than 64; a number twice; one that no replica reaches.
      [4, 0, 6, 0, 0], [4, 0, 6, 0, 65] + [UInt8](repeating: 1, count: 400),
      [4, 0, 6, 0, 1, 0, 0, 0, 0], [4, 0, 6, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0],
      [4, 0, 6, 0, 1, 255, 255, 255, 255, 255, 255, 127, 0, 0, 0],
      // More than the total; a later life than the row's; a life that there can't be.
      [4, 0, 6, 0, 1, 1, 0, 7, 0], [4, 0, 6, 0, 1, 1, 0, 0, 1],
      [4, 0, 6, 0, 2, 1, 0, 4, 0, 1, 0, 3, 0], [4, 1, 6, 0, 1, 1, 2, 0, 0],
      [4, 255, 255, 255, 255, 255, 255, 127, 6, 0, 1, 1, 0, 0, 0],
      // No replicas, and traces without any spans.
      [5, 0], [6, 0], [5, 1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0],
      [5, 1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 1, 0], [7, 0, 0], [7],
    ] as [[UInt8]])
  func refused(_ bytes: [UInt8]) {
    #expect(throws: DecodingFailure.self) { try read(bytes) }
  }

  @Test("bytes that were changed or cut are refused, or are those of another row")
  func damage() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<(isLongRun ? 20_000 : 300) {
      let bytes = written(hostileRow(using: &random))
      for place in bytes.indices {
        check(Array(bytes[..<place]))
        var changed = bytes
        changed[place] = UInt8.random(in: 0...(.max), using: &random)
        check(changed)
        changed[place] = bytes[place] ^ 1
        check(changed)
      }
    }
  }

  private func check(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let row = try? CounterRow(from: &reader) else { return }
    #expect(written(row) == Array(bytes[..<reader.offset]), "\(bytes)")
  }

  @Test("tallies and traces of any kind join in any order")
  func joins() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<(isLongRun ? 200_000 : 3_000) {
      let tallies = (0..<3).map { _ in hostileTally(using: &random) }
      let (x, y, z) = (tallies[0], tallies[1], tallies[2])
      #expect(x.joined(with: y) == y.joined(with: x), "\(tallies)")
      #expect(x.joined(with: x) == x, "\(tallies)")
      #expect(
        x.joined(with: y).joined(with: z) == x.joined(with: y.joined(with: z)), "\(tallies)")
      let traces = (0..<3).map { _ in hostileTrace(using: &random) }
      let merge = { (order: [Int]) in
        order.reduce(into: CounterTrace()) { $0.merge(traces[$1]) }
      }
      let all = merge([0, 1, 2])
      for order in [[2, 1, 0], [1, 2, 0], [0, 0, 2, 1, 2]] {
        #expect(merge(order) == all, "\(traces)")
      }
      #expect((try? read(written(CounterRow(all)))) == CounterRow(all), "\(all)")
    }
  }
}

extension CounterSpansTests {
  private func total(_ count: UInt64) -> PNCounter.Total {
    PNCounter.Total(increments: count, decrements: 0)
  }

  private func span(_ number: UInt64, _ life: UInt64, _ before: UInt64) -> Span {
    Span(number: number, life: life, before: total(before))
  }

  private func written(_ row: CounterRow) -> [UInt8] {
    var writer = ByteWriter()
    row.encode(to: &writer)
    return writer.finish()
  }

  private func read(_ bytes: [UInt8]) throws -> CounterRow {
    var reader = ByteReader(bytes)
    let row = try CounterRow(from: &reader)
    #expect(reader.remaining == 0)
    return row
  }

  /// Anything that can be read: few different numbers, so that many are the same.
  private func hostileTally(using random: inout SeededGenerator) -> CounterTally {
    let life = UInt64.random(in: 0...2, using: &random)
    var list: [Span] = []
    var (number, earlier, up, down) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      number += UInt64.random(in: 1...2, using: &random)
      if earlier < life, Bool.random(using: &random) { (earlier, up, down) = (earlier + 1, 0, 0) }
      up += UInt64.random(in: 0...1, using: &random)
      down += UInt64.random(in: 0...1, using: &random)
      let before = PNCounter.Total(increments: up, decrements: down)
      list.append(Span(number: number, life: earlier, before: before))
    }
    if earlier < life { (up, down) = (0, 0) }
    let total = PNCounter.Total(
      increments: up + UInt64.random(in: 0...2, using: &random),
      decrements: down + UInt64.random(in: 0...2, using: &random))
    return CounterTally(total, life: life, spans: CounterSpans(list))
  }

  private func hostileTrace(using random: inout SeededGenerator) -> CounterTrace {
    var trace = CounterTrace()
    for replica in [a, b, ReplicaID(3)] where Bool.random(using: &random) {
      trace.add(hostileTally(using: &random), of: replica)
    }
    return trace
  }

  private func hostileRow(using random: inout SeededGenerator) -> CounterRow {
    let trace = hostileTrace(using: &random)
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: CounterRow(hostileTally(using: &random))
    case 1 where trace.totals.count > 0: CounterRow(.totals(trace))
    default: CounterRow(trace)
    }
  }
}
