import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// One replica identifier in several places at once, each of which began a stretch of its
/// own as stores do: all that was written comes to all, once, whoever meets whom.
@Suite("Forks, mended")
struct MendTests {
  /// How two places meet.
  enum Way: CaseIterable { case merge, decoded, whole, session }

  /// A place that writes, and what it holds.
  struct Place {
    var value: ORSet<Int>
    var replica: ReplicaID
    /// The elements that it knows to have been removed.
    var removed: Set<Int> = []
  }

  /// Places that write, are restored from backups, and meet; and what must be there in the
  /// end: each element is inserted once.
  struct Story {
    var random: SeededGenerator
    var places: [Place] = []
    var backups: [Place] = []
    var present: Set<Int> = []
    var nextElement = 0

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      for _ in 0..<3 {
        places.append(Place(value: ORSet(), replica: ReplicaID(random.next())))
        open(places.count - 1)
      }
    }

    mutating func nonce() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }

    mutating func open(_ place: Int) {
      places[place].value.beginStretch(of: places[place].replica, nonce: nonce())
    }

    /// A name that was used twice is left.
    mutating func rename(_ place: Int) {
      guard places[place].value.forks.contains(places[place].replica) else { return }
      places[place].replica = ReplicaID(random.next())
      open(place)
    }

    mutating func step() throws {
      let place = Int.random(in: places.indices, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9:
        nextElement += 1
        present.insert(nextElement)
        places[place].value.insert(nextElement, by: places[place].replica)
      case 9..<12:
        let all = places[place].value.sorted()
        guard let element = all.randomElement(using: &random) else { return }
        present.remove(element)
        places[place].removed.insert(element)
        places[place].value.remove(element, by: places[place].replica)
      case 12..<14: open(place)
      case 14: backups.append(places[place])
      case 15:
        guard places.count < 7, let backup = backups.randomElement(using: &random) else { return }
        places.append(backup)
        open(places.count - 1)
      default:
        let other = Int.random(in: places.indices, using: &random)
        guard other != place, let way = Way.allCases.randomElement(using: &random) else { return }
        try meet(place, other, way)
      }
    }

    mutating func meet(_ here: Int, _ there: Int, _ way: Way) throws {
      let removed = places[here].removed.union(places[there].removed)
      places[here].removed = removed
      if way == .session { places[there].removed = removed }
      switch way {
      case .merge: places[here].value.merge(places[there].value)
      case .decoded:
        places[here].value = try ORSet(decoding: places[here].value.encoded())
        open(here)
        places[here].value.merge(try ORSet(decoding: places[there].value.encoded()))
      case .whole:
        let delta = places[there].value.delta(since: places[here].value.version)
        do throws(DeltaError) {
          try places[here].value.apply(decoding: delta.encoded())
        } catch {
          guard case .fork(let replica) = error else { throw error }
          var version = places[here].value.version
          version[replica] = 0
          // Of several forks the first alone is told.
          let whole = places[there].value.delta(since: version)
          if (try? places[here].value.apply(mending: whole)) == nil {
            try places[here].value.apply(mending: places[there].value.delta(since: [:]))
          }
        }
      case .session:
        var wire = Wire(
          Peer(places[here].value, as: places[here].replica),
          Peer(places[there].value, as: places[there].replica))
        wire.sync()
        for side in [wire.left, wire.right] {
          if let failure = side.failure { throw failure }
        }
        #expect(wire.discrepancy() == nil)
        (places[here].value, places[there].value) = (wire.left.value, wire.right.value)
        if wire.left.replicaRequests > 0 { places[here].replica = wire.left.replica }
        if wire.right.replicaRequests > 0 { places[there].replica = wire.right.replica }
        open(here)
        open(there)
        rename(there)
      }
      rename(here)
      for place in [here, there] {
        let back = places[place].removed.intersection(places[place].value)
        guard !back.isEmpty else { continue }
        throw Difference(
          description:
            "\(back.sorted()) came back at \(place), after \(here) met \(there) by \(way)")
      }
      let (left, right) = (places[here].value, places[there].value)
      if left.version == right.version, left.encoded() != right.encoded() {
        throw Difference(description: "\(here) and \(there) differ after meeting by \(way)")
      }
    }

    struct Difference: Error, CustomStringConvertible {
      let description: String
    }

    /// What is wrong in the end, if anything.
    mutating func finish() throws -> String? {
      for _ in 0..<4 {
        for here in places.indices {
          for there in places.indices where here != there {
            let way = Way.allCases.randomElement(using: &random) ?? .merge
            try meet(here, there, way)
          }
        }
      }
      let bytes = places[0].value.encoded()
      for place in places {
        place.value._table.checkEveryInvariant()
        if Set(place.value) != present {
          return """
            \(present.subtracting(place.value).sorted()) lost, \
            \(Set(place.value).subtracting(present).sorted()) came back
            """
        }
        if place.value.encoded() != bytes { return "other bytes" }
        if try ORSet<Int>(decoding: bytes).encoded() != bytes { return "other bytes, decoded" }
      }
      return nil
    }
  }

  @Test("equal versions, one line of which has removed what a third replica wrote")
  func removalOfAnother() throws {
    let (shared, third) = (ReplicaID(3), ReplicaID(4))
    var common = ORSet<Int>()
    common.insert(1, by: third)
    var (one, other) = (common, common)
    one.beginStretch(of: shared, nonce: 1)
    one.insert(2, by: shared)
    other.beginStretch(of: shared, nonce: 2)
    other.remove(1, by: shared)
    for (here, there) in [(one, other), (other, one)] {
      var whole = here
      try whole.apply(mending: there.delta(since: [:]))
      #expect(whole.encoded() == here.merging(there).encoded())
      #expect(Set(whole) == [2])
      #expect(whole.version.count == 3)
    }
  }

  @Test("a removal of one line's row, told to who knows another line by the row's name")
  func removalAcrossLines() throws {
    let (shared, third) = (ReplicaID(3), ReplicaID(4))
    var (here, other) = (ORSet<Int>(), ORSet<Int>())
    here.beginStretch(of: shared, nonce: 1)
    here.insert(1, by: shared)
    other.beginStretch(of: shared, nonce: 2)
    other.insert(2, by: shared)
    other.edit(by: third) { $0.insert(9) }
    // Has the third replica's first edit, and has mended.
    here.merge(other)
    let removal = other.edit(by: third) { $0.remove(2) }
    #expect(throws: DeltaError.fork(shared)) { try here.apply(removal) }
    try here.apply(mending: other.delta(since: [:]))
    #expect(Set(here) == [1, 9])
    #expect(here.encoded() == other.merging(here).encoded())
  }

  @Test("a line that parted again: what the other branch has removed is another row")
  func removalOnBranch() throws {
    let name = ReplicaID(3)
    for apart: UInt32 in [1, 9] {
      var (known, line) = (ORSet<String>(), ORSet<String>())
      known.beginStretch(of: name, nonce: apart)
      known.insert("first", by: name)
      line.beginStretch(of: name, nonce: 5)
      line.insert("second", by: name)
      var branch = line
      branch.beginStretch(of: name, nonce: 7)
      branch.insert("branch", by: name)
      known.merge(branch)
      // Under its new name, the row that dies here has the dot of "branch" there.
      line.insert("gone", by: name)
      line.remove("gone", by: name)
      let (knownCopy, lineCopy) = (
        try ORSet<String>(decoding: known.encoded()), try ORSet<String>(decoding: line.encoded())
      )
      for (isMerged, known, line) in [
        (true, known, line), (false, known, line),
        (true, knownCopy, lineCopy), (false, knownCopy, lineCopy),
      ] {
        var both = known
        if isMerged { both.merge(line) } else { try both.apply(mending: line.delta(since: [:])) }
        #expect(Set(both) == ["first", "second", "branch"], "\(apart), \(isMerged)")
        var other = line
        if isMerged {
          other.merge(known)
        } else {
          try other.apply(mending: known.delta(since: [:]))
        }
        #expect(other.encoded() == both.encoded(), "\(apart), \(isMerged)")
      }
    }
  }

  @Test("what two copies wrote for an authority stays that authority's")
  func delegates() throws {
    let (server, phone) = (ReplicaID.authority(named: "server"), ReplicaID(7))
    let writer = server.delegate(for: phone)
    var (one, other) = (ORSet<String>(), ORSet<String>())
    one.beginStretch(of: phone, nonce: 1)
    other.beginStretch(of: phone, nonce: 2)
    one.insert("own", by: phone)
    for number in 0..<200 {
      one.insert("one \(number)", by: writer)
      other.insert("other \(number)", by: writer)
    }
    let both = one.merging(other)
    #expect(both.encoded() == other.merging(one).encoded())
    let (copy, otherCopy) = (
      try ORSet<String>(decoding: one.encoded()), try ORSet<String>(decoding: other.encoded())
    )
    #expect(copy.merging(otherCopy).encoded() == both.encoded())
    #expect(both.count == 401 && both.forks == [writer])
    let writers = both.version.map(\.replica).filter { $0 != phone }
    #expect(writers.count == 2 && writers.allSatisfy { $0.isDelegate && $0.principal == server })
  }

  @Test("places restored from backups, at random: each element once, removed where it was")
  func stories() throws {
    for seed in 0..<scheduleCount(200, long: 20_000) {
      var story = Story(seed: seed)
      let steps = Int.random(in: 10..<120, using: &story.random)
      do {
        for _ in 0..<steps { try story.step() }
        if let problem = try story.finish() { Issue.record("seed \(seed): \(problem)") }
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
