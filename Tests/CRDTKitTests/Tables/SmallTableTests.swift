import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Tables of few rows have short ways to change a row and to merge; they come to the same as
/// the ways of all tables.
@Suite("Small tables")
struct SmallTableTests {
  typealias Register = MVRegister<String>

  /// A register that goes the short ways, and one that goes those of all tables.
  struct Pair {
    var short = Register()
    var long = Register()

    mutating func set(_ value: String, by replica: ReplicaID) {
      short.set(value, by: replica)
      long._table.rewrite(NoPayload(), by: replica) { _, _ in
        Row(key: NoPayload(), payload: value)
      }
    }

    mutating func clear(by replica: ReplicaID) {
      short._table.removeAll(of: NoPayload(), by: replica)
      let dots = long._table.dots()
      if !dots.isEmpty { long._table.remove(dots, by: replica) }
    }

    mutating func beginStretch(of replica: ReplicaID, nonce: UInt32) {
      short._table.beginStretch(of: replica, nonce: nonce)
      long._table.beginStretch(of: replica, nonce: nonce)
    }

    mutating func merge(_ other: Pair) throws {
      short.merge(other.short)
      _ = try long._table.apply(other.long._table.delta(since: [:]), mending: [])
    }

    mutating func apply(_ other: Pair) throws {
      try short.apply(other.short.delta(since: short.version))
      try long.apply(other.long.delta(since: long.version))
    }

    func decoded() throws -> Pair {
      let short = try Register(decoding: short.encoded())
      return Pair(short: short, long: try Register(decoding: long.encoded()))
    }

    /// Checks that both are the same, what they know of removals since a version included.
    func check(since version: VersionVector, _ note: String) throws {
      try short._table.checkSoundness()
      #expect(short.encoded() == long.encoded(), "\(note)")
      #expect(short.contentDigest.description == referenceDigest(of: short._table), "\(note)")
      guard long._table.isLogWhole(since: version) else { return }
      let (delta, expected) = (short.delta(since: version), long.delta(since: version))
      #expect(delta.encoded() == expected.encoded(), "\(note)")
    }
  }

  @Test("random histories, as tables of any size have them", arguments: [false, true])
  func histories(hasForks: Bool) throws {
    for seed in 0..<(isLongRun ? 400 : 12) as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var places = Array(repeating: Pair(), count: 3)
      var copies: [(pair: Pair, bytes: [UInt8])] = []
      for step in 0..<60 {
        let place = Int.random(in: 0..<places.count, using: &random)
        let other = places[Int.random(in: 0..<places.count, using: &random)]
        let replica = ReplicaID(UInt64(hasForks ? place / 2 : place))
        let before = places[place].short.version
        switch Int.random(in: 0..<12, using: &random) {
        case 0: places[place].clear(by: replica)
        case 1:
          // To the end of a block, and beyond what is kept of marks.
          for number in 0..<Int.random(in: 1...700, using: &random) {
            places[place].set("\(number % 5)", by: replica)
          }
        case 2: places[place] = try places[place].decoded()
        case 3, 4: try places[place].merge(other)
        case 5: try places[place].merge(other.decoded())
        case 6 where !hasForks: try places[place].apply(other)
        case 7: copies.append((places[place], places[place].short.encoded()))
        case 8 where !hasForks:
          places[place].beginStretch(of: replica, nonce: UInt32(step))
        default: places[place].set("a text of many bytes at step \(step)", by: replica)
        }
        try places[place].check(since: before, "seed \(seed), step \(step)")
        try places[place].check(since: [:], "seed \(seed), step \(step)")
      }
      for copy in copies { #expect(copy.pair.short.encoded() == copy.bytes, "seed \(seed)") }
    }
  }

  @Test("a row that only a forged state has after its removal goes on both sides")
  func forged() {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(2))
    var before = Register()
    before.set("a", by: phone)
    var after = before
    after._table.removeAll(of: NoPayload(), by: laptop)
    var later = after
    later.set("b", by: laptop)
    for honest in [after, later] {
      let columns = [before._table.columns[0], honest._table.columns[1]]
      let forged = Register(_table: DotTable(columns: ContiguousArray(columns)))
      #expect(forged.version == honest.version && forged != honest)
      #expect(after.merging(forged).encoded() == honest.encoded())
      #expect(forged.merging(after).encoded() == honest.encoded())
    }
  }

  @Test("stretches aren't lost to a copy that lacks them")
  func stretches() {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(2))
    var mine = Register()
    mine._table.beginStretch(of: phone, nonce: 5)
    mine.set("a", by: phone)
    var theirs = mine
    theirs.set("b", by: laptop)
    theirs._table.columns[0].stretches = Stretches()
    let merged = mine.merging(theirs)
    #expect(merged.values == ["b"])
    #expect(merged._table.columns[0].stretches.count == 1)
  }

  @Test("what a copy knows of its events isn't lost to one that knows less")
  func memory() throws {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(2))
    var mine = Register()
    for text in ["a", "b", "c"] { mine.set(text, by: phone) }
    var theirs = mine
    theirs.set("d", by: laptop)
    let logged = mine.merging(try Register(decoding: theirs.encoded()))
    #expect(logged == theirs && logged._table.columns[0].kills.floor == 0)
    theirs._table.columns[0].history = Column<NoPayload, String>(replica: phone).history
    let marked = mine.merging(theirs)
    #expect(marked._table.columns[0].history.fingerprint(at: 1) != nil)
  }
}
