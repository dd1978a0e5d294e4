import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

/// Events that somebody makes up under a store's name and puts in a relay's folder: they
/// are noticed, and what the store has acknowledged is in all stores under its own stamps.
@Suite("A relay's folder: forged events")
struct RelayForgeryTests {
  /// How much the victim has written since, when the forged events come.
  enum Progress: CaseIterable {
    case nothing, unpublished, published
    /// So much that marks of where the lines part are no longer kept.
    case published200
  }

  /// Who takes in the forged file first.
  enum First: CaseIterable { case victim, third }

  /// One way in which it goes.
  struct Scenario: CustomStringConvertible {
    let progress: Progress
    let first: First
    /// The number of the stretch that the forged events begin; none where they go on in the
    /// victim's. The victim's are 5.
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
                for heads in RelayForger.Heads.allCases {
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
    for scenario in Scenario.all {
      var story = try Story(scenario)
      do { try story.run() } catch { story.failures.append("\(error)") }
      #expect(story.failures.isEmpty, "\(scenario): \(story.failures)")
    }
  }
}

extension RelayForgeryTests {
  /// Three stores with a forger, and what the victim was told is durable.
  struct Story {
    let scenario: Scenario
    let stores = TestStores(replicasAfter: 0x10)
    var victim: BlockingStore
    var third: BlockingStore
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
        at: stores.clock.milliseconds - 500, scenario.heads)
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
      try sync([late])
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

    mutating func sync(_ all: [BlockingStore], isLast: Bool = false) throws {
      for store in all {
        let report = try store.sync(with: .folder("/relay"))
        note(store, report)
        guard isLast else { continue }
        expect(report.isSynchronized, "\(store.path) isn't in sync: \(report.missing)")
        expect(report.findings.isEmpty, "\(store.path) found \(report.findings)")
      }
    }

    /// Notes whether a store has said that something is wrong.
    mutating func note(_ store: BlockingStore, _ report: SyncReport) {
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
    mutating func check(_ all: [BlockingStore]) {
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
