import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

/// Events that somebody makes up under a store's name and puts in a relay's folder: they
/// are noticed, and what the store has acknowledged is in all stores under its own stamps.
@Suite("A relay's folder: forged events")
struct RelayForgeryTests {
  /// How much the victim has written since, when the forged events come.
  enum Progress: CaseIterable {
    case nothing, unpublished, published
    /// So much that marks of where the lines part are no longer kept.
    case published200

    var isPublished: Bool { self == .published || self == .published200 }
  }

  /// Who takes in the forged file first.
  enum First: CaseIterable { case victim, third }

  /// One way in which it goes.
  struct Scenario: CustomStringConvertible {
    let progress: Progress
    let first: First
    /// The number of the stretch that the forged events begin, where the victim's are 5; none
    /// where they go on in the victim's.
    let nonce: UInt32?
    let isReopened: Bool
    let forgedCount: Int
    let heads: RelayForger.Heads

    var description: String {
      let stretch = nonce.map { "stretch \($0)" } ?? "no stretch"
      return "\(progress), \(first) first, \(stretch), \(forgedCount) forged, heads \(heads)"
        + (isReopened ? ", reopened" : "")
    }

    static var all: [Scenario] {
      var all: [Scenario] = []
      for progress in Progress.allCases {
        for first in First.allCases {
          for nonce in [nil, 1, 9] as [UInt32?] {
            for isReopened in [false, true] {
              for forgedCount in [1, 7] {
                for heads in RelayForger.Heads.allCases
                where heads != .victims || forgedCount == 1 && progress.isPublished {
                  all.append(
                    Scenario(
                      progress: progress, first: first, nonce: nonce, isReopened: isReopened,
                      forgedCount: forgedCount, heads: heads))
                }
              }
            }
          }
        }
      }
      return all
    }
  }

  @Test("are noticed, whoever finds them first; all that was acknowledged is there, and alike")
  func forged() throws {
    for (place, scenario) in Scenario.all.enumerated() where playsAll || place % 3 == 0 {
      var story = try Story(scenario)
      do { try story.run() } catch { story.failures.append("\(error)") }
      #expect(story.failures.isEmpty, "\(scenario): \(story.failures)")
    }
  }
}

extension RelayForgeryTests {
  /// Two stores that have met in a folder, and a forger that knows all of it.
  private func meeting() throws -> (TestStores, [Store], RelayForger) {
    let stores = TestStores(replicasAfter: 0x10)
    let all = try ["/victim", "/third"].map { try stores.open($0) }
    try all[0].put(1, of: "own")
    for store in all + all { try store.sync(with: .folder("/relay")) }
    return (stores, all, RelayForger(all[1].document, in: "/relay", stores.files))
  }

  @Test("A round in which another's newest file can't be read is not in sync")
  func unreadable() throws {
    let stores = TestStores()
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    try left.put("one", of: "l")
    try left.sync(with: .folder("/relay"))
    try right.sync(with: .folder("/relay"))
    try left.put("two", of: "l")
    try left.sync(with: .folder("/relay"))
    let whole = stores.files.seenImage
    let newest = try #require(
      whole.files.keys.filter { $0.hasPrefix("/relay/") && $0.contains("0001/") }.max())
    var damaged = try #require(whole[newest])
    damaged[FileHead.size + Frame.headSize] ^= 1
    for bytes in [damaged, [], Array(damaged.prefix(30))] {
      let again = TestStores(
        SimulatedFileSystem(whole.replacing(newest, with: bytes)), replicasAfter: 9)
      let report = try again.open("/right").sync(with: .folder("/relay"))
      #expect(!report.isSynchronized && report.findings.map(\.path) == [newest])
    }
  }

  @Test("The heads of one writer's files take bounded memory together; others' files are taken")
  func headMemory() throws {
    let stores = TestStores()
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    try left.put("value", of: "l")
    try left.sync(with: .folder("/relay"))
    var forger = RelayForger(left.document, in: "/relay", stores.files)
    for number in 1...20 as ClosedRange<UInt64> {
      let delta = forger.makeUp(1, of: ReplicaID(0xF), nonce: nil, at: 1_000 + number)
      try forger.put(delta) { file in
        for name in 1...1_000 as ClosedRange<UInt64> { file.known[ReplicaID(name)] = number }
      }
    }
    var options = FolderRelay.Options()
    options.maximumFileMemoryBytes = 200_000
    options.maximumReplicas = 1_000
    let report = try right.relay(at: "/relay", options: options).sync()
    #expect((8..<20).contains(report.findings.count))
    for finding in report.findings {
      #expect("\(finding.reason)".contains("more than 200000 bytes of memory"))
    }
    #expect(right.document.value(of: "value", of: "l", in: "c") == "value")
    // One that names more replicas than may be is refused, wherever it names them.
    options.maximumReplicas = 999
    let few = try stores.open("/few").relay(at: "/relay", options: options)
    #expect(try few.sync().findings.count == 20)
  }

  @Test("A file that tells of other events than those of its version is reported, never merged")
  func otherVersion() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var (stores, all, forger) = try meeting()
      let before = all[0].document
      let delta = forger.makeUp(2, of: ReplicaID(0x99), nonce: 3, at: 1_750_000_000_000)
      var other = seed % 2 == 0 ? before : Document()
      for number in 0..<Int.random(in: 0...3, using: &random) {
        other.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(0x99))) {
          $0.create("\(number)", in: "c")
        }
      }
      guard other.version != forger.document.version else { continue }
      try forger.put(delta) { $0.heads = VersionHeads(of: other) }
      for store in all {
        let report = try store.sync(with: .folder("/relay"))
        #expect(
          report.findings.map(\.reason)
            == [.damaged("it tells of other events than those of its version")])
        #expect(store.document == before && store.replica != ReplicaID(0x99))
      }
      #expect(try stores.open("/late").sync(with: .folder("/relay")).findings.count == 1)
    }
  }

  @Test("A file whose delta is of other events than its head tells of is reported, never merged")
  func otherDelta() throws {
    var (stores, all, forger) = try meeting()
    let before = all[1].document
    let name = all[0].replica
    try all[0].put(2, of: "own")
    let heads = VersionHeads(of: all[0].document)
    // As many events as the victim has made, of which the folder knows the heads.
    let delta = forger.overwrite(
      "own", of: name, in: all[0].document.version, at: stores.clock.milliseconds)
    try forger.put(delta) { $0.heads = heads }
    let report = try all[1].sync(with: .folder("/relay"))
    #expect(report.findings.count == 1 && all[1].document == before)
    for store in all + all { try store.sync(with: .folder("/relay")) }
    #expect(all[1].document.value(of: "value", of: "own", in: "c") == 2)
  }

  @Test("A delta in the place of the one that a head was written for is reported, never merged")
  func exchangedDelta() throws {
    for isExchanged in [false, true] {
      var (stores, all, forger) = try meeting()
      let before = all[0].document
      let delta = forger.makeUp(2, of: ReplicaID(0x99), nonce: 3, at: stores.clock.milliseconds)
      try forger.put(delta) { if isExchanged { $0.deltaChecksum ^= 1 } }
      for store in all {
        let report = try store.sync(with: .folder("/relay"))
        #expect(report.findings.count == (isExchanged ? 1 : 0))
        #expect((store.document == before) == isExchanged)
      }
    }
  }

  @Test("A file of an older version with events that weren't made in it is noticed, not merged")
  func olderFile() throws {
    for count in [1, 4] {
      var (stores, all, forger) = try meeting()
      let name = all[0].replica
      try all[0].put(2, of: "own")
      let delta = forger.makeUp(count, of: name, nonce: nil, at: stores.clock.milliseconds)
      try forger.put(delta, formatVersion: 2)
      for store in all + all { try store.sync(with: .folder("/relay")) }
      for store in all {
        #expect(store.document.forks == [name], "\(store.path)")
        #expect(store.document.value(of: "value", of: "own", in: "c") == 2)
        #expect(store.document.value(of: "value", of: "forged 0", in: "c") == nil)
      }
      #expect(all[0].replica != name && all[0].document.encoded() == all[1].document.encoded())
    }
  }
}

extension RelayForgeryTests {
  /// Three stores with a forger, and what the victim was told is durable.
  struct Story {
    let scenario: Scenario
    let stores = TestStores(replicasAfter: 0x10)
    var victim: Store
    var third: Store
    let name: ReplicaID
    /// What was acknowledged: the values and times of records, by name.
    var acknowledged: [String: (value: Int64, milliseconds: UInt64)] = [:]
    var failures: [String] = []
    var hasNoticed: [String: Bool] = [:]

    init(_ scenario: Scenario) throws {
      self.scenario = scenario
      victim = try stores.open("/victim")
      third = try stores.open("/third")
      name = victim.replica
    }

    mutating func run() throws {
      try write("base", 5)
      try sync([victim, third, victim])
      if scenario.isReopened { try reopen() }
      var forger = RelayForger(third.document, in: "/relay", stores.files)
      stores.clock.milliseconds += 1_000
      switch scenario.progress {
      case .nothing: break
      case .unpublished: try write("new", 3)
      case .published:
        try write("new", 3)
        try sync([victim])
      case .published200:
        try write("new", 200)
        try sync([victim])
      }
      let delta = forger.makeUp(
        scenario.forgedCount, of: name, nonce: scenario.nonce,
        at: stores.clock.milliseconds - 500, scenario.heads, besides: victim.document)
      try forger.put(delta)
      try sync(scenario.first == .victim ? [victim, third] : [third, victim])
      stores.clock.milliseconds += 1_000
      try write("later", 2)
      for _ in 0..<3 { try sync([victim, third]) }
      if scenario.isReopened { try reopen() }
      try write("last", 2)
      for _ in 0..<2 { try sync([victim, third]) }
      try sync([victim, third], isLast: true)
      let late = try stores.open("/late")
      // Who came late may begin with the line that gives way, and hears of the other then.
      for _ in 0..<3 { try sync([late, victim, third]) }
      try sync([victim, third, late], isLast: true)
      check([victim, third, late])
      expect(hasNoticed["/victim"] == true, "the victim noticed nothing")
      if scenario.progress != .nothing {
        expect(hasNoticed["/third"] == true, "the third store noticed nothing")
      }
    }

    mutating func write(_ label: String, _ count: Int) throws {
      for number in 0..<count {
        stores.clock.milliseconds += 1
        try victim.put(.int(Int64(number)), of: "\(label) \(number)")
        acknowledged["\(label) \(number)"] = (Int64(number), stores.clock.milliseconds)
      }
    }

    mutating func sync(_ all: [Store], isLast: Bool = false) throws {
      for store in all {
        let report = try store.sync(with: .folder("/relay"))
        note(store, report)
        // Where marks were copied, a file from before the mend may say that contents differ
        // until its writer has more to publish.
        guard isLast, scenario.heads != .victims else { continue }
        // The forged file may be refused for ever, and nothing else.
        let isRefused = !report.findings.isEmpty
        expect(
          report.isSynchronized != isRefused && report.missing.isEmpty,
          "\(store.path) isn't in sync: \(report.missing)")
        let findings = report.findings.filter {
          $0.reason != .refused(.delta(.fork(name))) || !$0.path.contains("/000000000000000f/")
        }
        expect(findings.isEmpty, "\(store.path) found \(findings)")
      }
    }

    /// Notes whether a store has said that something is wrong.
    mutating func note(_ store: Store, _ report: Store.SyncReport) {
      let isTold =
        !report.findings.isEmpty || store.document.forks.contains(name)
        || store.path == "/victim" && store.replica != name
      if isTold { hasNoticed[store.path] = true }
    }

    mutating func reopen() throws {
      try victim.close()
      try third.close()
      victim = try stores.open("/victim")
      third = try stores.open("/third")
    }

    /// Checks that all have what was acknowledged, with its stamps, and the same bytes.
    mutating func check(_ all: [Store]) {
      let bytes = all[0].document.encoded()
      for store in all {
        let document = store.document
        for (record, written) in acknowledged {
          let shown = document.explain("value", of: record, in: "c")?.winner
          expect(
            shown?.value == .int(written.value)
              && shown?.timestamp.milliseconds == written.milliseconds,
            "\(store.path) shows \(String(describing: shown)) in '\(record)'")
        }
        expect(document.encoded() == bytes, "\(store.path) has other bytes")
      }
    }

    mutating func expect(_ condition: Bool, _ claim: String) {
      if !condition, failures.count < 4 { failures.append(claim) }
    }
  }
}
