import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Deltas with a history do what those without do.
@Suite("Histories of removals")
struct RemovalHistoryTests {
  private struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  private func check(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Wrong(description: description()) }
  }

  private func forgetful(_ document: Document) -> Document {
    var copy = document
    for place in copy._table.columns.indices {
      copy._table.columns[place].kills = KillLog(floor: copy._table.columns[place].seen)
    }
    return copy
  }

  private func gather(
    _ deltas: some Sequence<TableDelta<Document>>, since version: VersionVector
  ) -> (history: RemovalHistory, isWhole: Bool) {
    var history = RemovalHistory(since: version)
    var isWhole = true
    for delta in deltas { isWhole = history.append(delta) && isWhole }
    return (history, isWhole)
  }

  /// Checks that a delta is exact for all who can take it in, and for those whom
  /// they teach.
  private func check(
    _ delta: TableDelta<Document>, of document: Document, since version: VersionVector,
    on copies: [Document]
  ) throws {
    let plain = document.delta(since: version)
    try check(delta.base == plain.base, "base \(delta.base), not \(plain.base)")
    try check(delta.version == plain.version, "version \(delta.version), not \(plain.version)")
    for copy in copies where copy._table.contains(delta.base) {
      var expected = copy
      try expected.apply(plain)
      var result = copy
      try result.apply(delta)
      try check(result.encoded() == expected.encoded(), "applied at \(copy.version)")
      var decoded = copy
      try decoded.apply(decoding: delta.encoded())
      try check(decoded.encoded() == expected.encoded(), "decoded and applied")
      for other in copies {
        var taught = other
        try taught.apply(result.delta(since: other.version))
        try check(
          taught.encoded() == other.merging(expected).encoded(),
          "passed on by \(copy.version) to \(other.version)")
      }
    }
  }

  @Test("the same for every peer as without, over random schedules") func law() throws {
    var whole = 0
    var broken = 0
    for seed in 0..<30 as Range<UInt64> {
      let sites = DocumentHistory.random(
        count: 3, stepCount: 30, seed: seed, isForgetful: seed % 2 == 0)
      var random = SeededGenerator(seed: ~seed)
      for site in sites {
        let start = Int.random(in: 0..<site.states.count, using: &random)
        let version = site.states[start].version
        let (history, isWhole) = gather(site.deltas[start...], since: version)
        let copies = [site.states[start]] + sites.map(\.document)
        do {
          for document in [site.document, forgetful(site.document)] {
            let delta = document.delta(since: version, history: history)
            let isLogWhole = document.isLogWhole(since: version)
            try check(delta != nil || !(isWhole || isLogWhole), "no delta, whole: \(isWhole)")
            guard let delta else { continue }
            if case .survivors = delta.changes.removals { try check(false, "lists what lives") }
            try check(delta, of: document, since: version, on: copies)
          }
        } catch {
          Issue.record("seed \(seed), since \(version) of \(site.document.version): \(error)")
          return
        }
        if isWhole { whole += 1 } else { broken += 1 }
      }
    }
    #expect(whole > 45 && broken > 3, "\(whole) whole, \(broken) broken")
  }

  @Test("since versions of others, with more than was asked for, and an end before now")
  func otherVersions() throws {
    for seed in 100..<125 as Range<UInt64> {
      let sites = DocumentHistory.random(count: 3, stepCount: 30, seed: seed)
      var random = SeededGenerator(seed: ~seed)
      let site = sites[0]
      let asker = sites[1].states[Int.random(in: 0..<sites[1].states.count, using: &random)]
      let middle = Int.random(in: 0..<site.states.count, using: &random)
      var document = forgetful(site.states[middle])
      for delta in site.deltas[middle...] { try document.apply(delta) }
      for base in [[:], asker.version] as [VersionVector] {
        let (history, isWhole) = gather(site.deltas[..<middle], since: base)
        do {
          try check(isWhole, "the history broke")
          let delta = document.delta(since: asker.version, history: history)
          guard let delta else { throw Wrong(description: "no delta") }
          try check(
            delta, of: document, since: asker.version, on: [asker] + sites.map(\.document))
        } catch {
          Issue.record("seed \(seed), since \(asker.version) from \(base): \(error)")
          return
        }
      }
    }
  }

  @Test("whether a log is whole is what decides the form of a delta") func logs() throws {
    for seed in 0..<40 as Range<UInt64> {
      let sites = DocumentHistory.random(count: 2, stepCount: 30, seed: seed, isForgetful: true)
      for state in sites[1].states {
        let document = sites[0].document
        let delta = document.delta(since: state.version)
        let isLogged = if case .kills = delta.changes.removals { true } else { false }
        if delta.isEmpty { continue }
        #expect(document.isLogWhole(since: state.version) == isLogged, "seed \(seed)")
      }
    }
  }

  @Test("break where deltas are missing, or list what lives; and say so") func breaks() throws {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(2))
    var set = ORSet<Int>()
    var versions: [VersionVector] = [set.version]
    var deltas: [TableDelta<ORSet<Int>>] = []
    for number in 0..<6 {
      let delta = set.edit(by: number % 2 == 0 ? phone : laptop) { editor in
        editor.insert(number)
        editor.remove(number - 2)
      }
      deltas.append(delta)
      versions.append(set.version)
    }
    for place in set._table.columns.indices {
      set._table.columns[place].kills = KillLog(floor: set._table.columns[place].seen)
    }
    // One of the phone's is missing: it begins anew after that.
    var history = RemovalHistory()
    let goesOn = [0, 1, 3, 4, 5].map { history.append(deltas[$0]) }
    #expect(goesOn == [true, true, true, false, true])
    let reach = versions.map { set.delta(since: $0, history: history) != nil }
    #expect(reach == [false, false, false, true, true, true, true])
    // What is known is passed over, the log stays as it is.
    let count = history.count
    let again = deltas.map { history.append($0) }
    #expect(!again.contains(false) && history.count == count)
    // One that lists what lives.
    var other = RemovalHistory()
    for delta in deltas[..<3] { other.append(delta) }
    let survivors = set.delta(since: versions[3])
    guard case .survivors = survivors.changes.removals else {
      Issue.record("lists what was removed")
      return
    }
    let isBroken = !other.append(survivors)
    #expect(isBroken)
    #expect(set.delta(since: versions[3], history: other) == nil)
    #expect(set.delta(since: versions[6], history: other)?.isEmpty == true)
    #expect(RemovalHistory(since: versions[2]).count == 0)
  }

  @Test("as long as what was removed, however much there is; also where logs cut themselves")
  func cost() throws {
    let phone = ReplicaID(1)
    var set = ORSet<Int>()
    set.edit(by: phone) { editor in for element in 0..<9_000 { editor.insert(element) } }
    let old = set
    var history = RemovalHistory(since: old.version)
    for start in 0..<3 {
      let delta = set.edit(by: phone) { editor in
        for element in 0..<1_500 { editor.remove(6 * element + 2 * start) }
      }
      history.append(delta)
    }
    #expect(history.count == 4_500)
    #expect(!set.isLogWhole(since: old.version), "the log must have been cut by itself")
    let plain = set.delta(since: old.version).encoded()
    let delta = try #require(set.delta(since: old.version, history: history))
    for bytes in [plain, delta.encoded()] {
      var copy = old
      try copy.apply(decoding: bytes)
      #expect(copy.encoded() == set.encoded())
    }
    // What was removed lately is all that counts.
    let late = set.edit(by: phone) { editor in
      for element in 0..<9 { editor.remove(2 * element + 1) }
    }
    history.append(late)
    for place in set._table.columns.indices {
      set._table.columns[place].kills = KillLog(floor: set._table.columns[place].seen)
    }
    var before = old
    try before.apply(delta)
    let short = try #require(set.delta(since: before.version, history: history)).encoded()
    let long = set.delta(since: before.version).encoded()
    #expect(short.count < 100 && long.count > 4_000, "\(short.count), \(long.count)")
    try before.apply(decoding: short)
    #expect(before.encoded() == set.encoded())
  }
}
