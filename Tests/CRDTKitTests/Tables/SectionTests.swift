import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

/// Rows are written in sections, as the article *Binary format* says, and each section
/// can be read by itself.
@Suite("Sections of rows")
struct SectionTests {
  private let phone = ReplicaID(0x8000_0000_0000_0007)
  private let laptop = ReplicaID(9)

  /// How many rows each section of a column has, block by block.
  private func sections(of counters: [UInt64]) -> [Int] {
    let blocks = Dictionary(grouping: counters) { ($0 - 1) / 1_024 }
    return blocks.keys.sorted().reduce(into: []) { counts, block in
      let count = blocks[block]?.count ?? 0
      if let last = counts.last, last + count <= 1_024 {
        counts[counts.count - 1] += count
      } else {
        counts.append(count)
      }
    }
  }

  /// A set whose element at each counter is the counter, each of 16 bytes, of which about
  /// some in a hundred are still there in each block of many.
  private func set(count: Int, shares: [Int], seed: UInt64) -> ORSet<UInt128> {
    var random = SeededGenerator(seed: seed)
    var set = ORSet<UInt128>()
    for element in 1...UInt128(count) { set.insert(element, by: phone) }
    let dead = (1...count).filter { counter in
      Int.random(in: 0..<100, using: &random) >= shares[counter / 700 % shares.count]
    }
    set._table.remove(dead.map { Dot(phone, UInt64($0)) }, by: laptop)
    return set
  }

  private static let shares = [[100], [97, 2], [50], [49, 51, 0, 30], [9], [1], [100, 0, 3, 60]]

  @Test("stand where the rule says, and say how long they are", arguments: shares.indices)
  func places(number: Int) throws {
    for count in [1, 1_023, 1_024, 1_025, 2_048, 2_049, 9_000] {
      let set = set(count: count, shares: Self.shares[number], seed: UInt64(count + number))
      let counters = set.map(UInt64.init).sorted()
      let expected = sections(of: counters)
      var reader = ByteReader(try body(of: set))
      _ = try ColumnHeads(stateFrom: &reader)
      // Small numbers come first: of the laptop, which has only removed.
      #expect(try reader.readVarint() == 0)
      let runs = try CounterRuns(from: &reader, after: 0, upTo: UInt64(count))
      #expect(runs.runs.flatMap(Array.init) == counters)
      var rest = counters[...]
      for (place, rows) in expected.enumerated() {
        if place < expected.count - 1 {
          #expect(try reader.readVarint() == UInt64(rows * 16), "\(count), section \(place)")
        }
        for counter in rest.prefix(rows) {
          #expect(try UInt128(from: &reader) == UInt128(counter))
        }
        rest = rest.dropFirst(rows)
      }
      #expect(rest.isEmpty && reader.remaining == 0)
      let decoded = try ORSet<UInt128>(decoding: set.encoded())
      decoded._table.checkEveryInvariant()
      #expect(decoded == set && decoded.encoded() == set.encoded())
    }
  }

  @Test("of documents are read by themselves, in any order")
  func alone() throws {
    var document = Document()
    for number in 0..<2_300 {
      let stamp = HybridTimestamp(milliseconds: UInt64(number), logical: 0, replica: phone)
      document.edit(at: stamp) {
        _ = $0.set(
          FieldPath(parsing: "field \(number % 11)"), of: "record \(number / 9)",
          in: "collection \(number % 2)", to: .string("value \(number % 7)"))
      }
    }
    let column = try #require(document._table.columns.first)
    var expected: [(counter: UInt64, key: Document.RowKey)] = []
    column.forEachRow { counter, row in expected.append((counter, row.key)) }
    let counts = sections(of: expected.map(\.counter))
    #expect(counts.count >= 3)
    var reader = ByteReader(try body(of: document))
    _ = try ColumnHeads(stateFrom: &reader)
    _ = try CounterRuns(from: &reader, after: 0, upTo: column.seen)
    var parts: [(bytes: [UInt8], keys: [Document.RowKey])] = []
    for count in counts.dropLast() {
      let length = Int(try reader.readVarint())
      parts.append((Array(try reader.readBytes(length)), expected.prefix(count).map(\.key)))
      expected.removeFirst(count)
    }
    for part in parts.reversed() {
      var alone = ByteReader(part.bytes)
      var rows = Document.RowReader(from: &alone)
      for key in part.keys { #expect(try rows.next(from: &alone).key == key) }
      #expect(alone.remaining == 0)
    }
    // What is said in one is not known in another, or after it.
    var last = Document.RowReader(from: &reader)
    for (_, key) in expected { #expect(try last.next(from: &reader).key == key) }
  }

  @Test("of other lengths are refused, and rows of several events")
  func refused() throws {
    let bytes = set(count: 3_000, shares: [100], seed: 1).encoded()
    // The length of 16,384 bytes, before each of two sections.
    let places = bytes.indices.dropLast(3).filter {
      Array(bytes[$0..<$0 + 3]) == [0x80, 0x80, 0x01]
    }
    #expect(places.count >= 2)
    for place in places.prefix(2) {
      for value in [0, 1, 0x7F, 0x81] as [UInt8] {
        var wrong = bytes
        wrong[place] = value
        #expect(throws: DecodingFailure.self) {
          try ORSet<UInt128>(decoding: sealed(wrong))
        }
      }
    }
    var writer = ByteWriter()
    writer.write(varint: 3 as UInt64)
    writer.write(varint: 0 as UInt64)
    writer.write(varint: 0 as UInt64)
    var reader = ByteReader(writer.finish())
    #expect(throws: DecodingFailure.self) { try CounterRuns(from: &reader, after: 0, upTo: 9) }
  }

  @Test("weren't there in version 1, whose rows are read all the same")
  func firstVersion() throws {
    var writer = ByteWriter()
    writer.write([0xC4, 0xD7, 0x01] as [UInt8])
    writer.write(ORSet<UInt128>.typeCode)
    writer.write(varint: 1 as UInt64)
    phone.encode(to: &writer)
    writer.write(varint: 5_000 as UInt64)
    writer.write(fixed: 0x1234_5678 as UInt32)
    for word in [2, 0, 2_999, 0, 1_000] as [UInt64] { writer.write(varint: word) }
    let counters = Array(1...3_000) + Array(3_002...4_002)
    for counter in counters { UInt128(counter).encode(to: &writer) }
    writer.write(fixed: 0 as UInt32)
    let set = try ORSet<UInt128>(decoding: sealed(writer.finish()))
    #expect(set.map(Int.init).sorted() == counters)
    #expect(try ORSet<UInt128>(decoding: set.encoded()) == set)
  }

  @Test("and one removal of all takes one entry, whatever it removes")
  func ranges() throws {
    var one = ORSet<Int>()
    for element in 0..<20_000 { one.insert(element, by: phone) }
    one.remove(777, by: laptop)
    var other = one
    let before = one.version
    other.insert(-1, by: ReplicaID(3))
    one.removeAll(by: laptop)
    let delta = one.delta(since: before)
    #expect(delta.encoded().count < 100)
    let kills = try #require(one._table.columns.first { $0.replica == laptop }).kills
    #expect(kills.entries.map(\.counters) == [778...778, 1...777, 779...20_000])
    let decoded = try TableDelta<ORSet<Int>>(decoding: delta.encoded())
    #expect(decoded.encoded() == delta.encoded())
    var copy = other
    try copy.apply(decoded)
    #expect(Array(copy) == [-1] && copy == other.merging(one) && copy == one.merging(other))
    copy._table.checkEveryInvariant()
    // What wasn't there any more, or came later, is left alone.
    var late = other
    for element in 0..<50 { late.remove(element, by: ReplicaID(3)) }
    late.insert(60, by: ReplicaID(3))
    try late.apply(decoded)
    #expect(Set(late) == [-1, 60])
    late._table.checkEveryInvariant()
  }

  private func body<Value: BinaryCodable>(of value: Value) throws -> [UInt8] {
    Array(value.encoded().dropFirst(3 + Value.typeCode.count).dropLast(4))
  }
}
