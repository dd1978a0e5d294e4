import CRDTKit
import CRDTTestSupport
import Testing

/// Pages at their edges: packing at every place of a block, and what many
/// overwrites leave behind.
@Suite("Pages")
struct PageTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)
  private var blockSize: Int { LiveBits.slotCount }

  /// Thins out one page after another, so that the packing falls on an event
  /// `offset` places before the end of a block with few live rows.
  private func thinned(offset: Int, blockCount: Int) -> ORSet<Int> {
    var set = ORSet<Int>()
    func seen() -> Int { Int(set.version[phone]) }
    for element in 0..<blockCount * blockSize { set.insert(element, by: phone) }
    let keptMax = 64
    // All pages but the last come to one row above the limit in single events.
    for block in 0..<blockCount {
      let rows = (block * blockSize + 1...(block + 1) * blockSize - keptMax - 1)
      set._table.remove(rows.map { Dot(phone, UInt64($0)) }, by: phone)
    }
    set.insert(-1, by: phone)
    while (seen() + offset) % blockSize != 0 { set.insert(-2, by: phone) }
    // From here on each event thins one page more, by renewing one of its elements.
    for block in 0..<blockCount { set.insert((block + 1) * blockSize - keptMax, by: phone) }
    return set
  }

  @Test("packing in the middle of an event at any place near the end of a block")
  func packingAtBlockEnds() throws {
    for offset in stride(from: 0, through: 13, by: 1) {
      let set = thinned(offset: offset, blockCount: 13)
      set._table.checkEveryInvariant()
      #expect(set.allSatisfy(set.contains), "offset \(offset)")
      #expect(set.contains(-1) && set.contains(-2), "offset \(offset)")
      let decoded = try ORSet<Int>(decoding: set.encoded())
      #expect(decoded == set && decoded.merging(set) == set, "offset \(offset)")
      var emptied = set
      for element in set { emptied.remove(element, by: laptop) }
      #expect(emptied.isEmpty, "offset \(offset)")
      #expect(set.merging(emptied).isEmpty && emptied.merging(decoded).isEmpty)
    }
  }

  @Test("merges of sides that are packed, sparse and decoded, at many places")
  func layouts() throws {
    for offset in [0, 1, 7] {
      let packed = thinned(offset: offset, blockCount: 13)
      let sparse = try ORSet<Int>(decoding: packed.encoded())
      var written = packed
      var removed = sparse
      for element in 0..<300 { written.insert(element * 37, by: phone) }
      for (place, element) in packed.enumerated() where place % 3 == 0 {
        removed.remove(element, by: laptop)
      }
      let expected = Set(packed.enumerated().filter { $0.offset % 3 != 0 }.map(\.element))
        .union((0..<300).map { $0 * 37 })
      let (both, reverse) = (written.merging(removed), removed.merging(written))
      #expect(both.encoded() == reverse.encoded())
      #expect(Set(both) == expected)
      both._table.checkEveryInvariant()
      reverse._table.checkEveryInvariant()
      var taken = written
      try taken.apply(decoding: removed.delta(since: written.version).encoded())
      #expect(taken == both)
    }
  }

  @Test("a register overwritten tens of thousands of times takes one row")
  func overwritten() {
    var map = MergeMap<Int, MVRegister<Int>>()
    map.edit(by: phone) { editor in
      for event in 0..<30_000 { editor.update(event * 7 % 400) { $0.set(event) } }
    }
    map._table.checkEveryInvariant()
    #expect(map._table.rowCount == 400)
    #expect(map.count == 400)
    #expect(map[7]?.value.map { $0 * 7 % 400 } == 7)
    #expect(map.encoded().count - markBytes(of: map.version) < 400 * 8)
    for key in 0..<400 { map.removeValue(forKey: key, by: laptop) }
    #expect(map.encoded().count - markBytes(of: map.version) <= 64 * 2)
  }
}
