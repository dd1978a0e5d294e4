import CRDTKit
import CRDTStore
import CRDTTestSupport

/// The folder in which a ``RestoreScenario`` takes place, and what was seen there.
final class RestoreSite {
  private let folder: TemporaryFolder
  private let meeting: RestoreScenario.Meeting
  private var third: Store?
  private let guardedEvents = Guarded<[[ReplicaID]]>([])
  /// The names that stores should say that they left and took.
  private(set) var expectedEvents: [[ReplicaID]] = []
  private(set) var failures: [String] = []
  /// What was seen where the lines part.
  var base: VersionVector = [:]

  private static let schema = Schema(
    collections: ["c": Schema.Collection(fields: ["count": .counter])])

  /// Whether copies look as what they are copies of.
  private let hidesCopies: Bool

  init(_ meeting: RestoreScenario.Meeting, hidesCopies: Bool) throws {
    folder = try TemporaryFolder()
    self.meeting = meeting
    self.hidesCopies = hidesCopies
    if meeting == .thirdStore { third = try open("third") }
  }

  var path: String { folder.path }

  /// The names that stores have said that they left and took.
  var events: [[ReplicaID]] { guardedEvents.withLock { $0 } }

  func open(_ name: String) throws -> Store {
    var options = Store.Options()
    options.documentID = TestStores.document
    options.fileSystem = UnsyncedDisk(hidesCopies: hidesCopies)
    options.compaction = .manual
    options.onEvent = { [guardedEvents] event in
      guard case .tookNewReplica(let old, let new) = event else { return }
      guardedEvents.withLock { $0.append([old, new]) }
    }
    return try Store.open(at: "\(path)/\(name)", schema: Self.schema, options: options)
  }

  /// Opens a store that should be taken for a copy, if that can be told.
  func openCopy(_ name: String, of replica: ReplicaID) throws -> Store {
    let store = try open(name)
    if hidesCopies {
      expect(!store.recovery.isCopy && store.replica == replica, "\(name) looks as it did")
      return store
    }
    expect(store.recovery.isCopy && store.replica != replica, "\(name) is taken for a copy")
    expect(store.recovery.formerReplica == replica, "\(name) knows its former name")
    expectedEvents.append([replica, store.replica])
    return store
  }

  /// Opens a store again that was closed, and nothing has happened to.
  func openAgain(_ store: Store) throws -> Store {
    let again = try open(String(store.path.split(separator: "/").last ?? ""))
    expect(
      !again.recovery.isCopy && again.replica == store.replica, "\(store.path) is itself again")
    return again
  }

  /// How many commits of a line are counted in one place: each costs a debug build as much as
  /// its own record does.
  private static let countedMax = 20

  /// Makes commits, each with a record of its own, and the first ones with one more of a count.
  ///
  /// Where copies look as what they are copies of, the app is started anew before the last one:
  /// that begins a stretch of its own, and files of a relay tell of no other.
  func commit(_ name: String, _ count: Int, _ store: inout Store) throws {
    for number in 0..<count {
      if hidesCopies, number > 0, number == count - 1 {
        try store.close()
        store = try openAgain(store)
      }
      try store.edit(.relaxed) { edit in
        edit.set("value", of: "\(name) \(number)", in: "c", to: .int(Int64(number)))
        if number < Self.countedMax { try edit.increment("count", of: "all", in: "c", by: 1) }
      }
    }
  }

  /// Brings stores together, in as many rounds as all need to have all, and one more in
  /// which there must be nothing left to say.
  func meet(_ stores: [Store]) throws {
    let last = hidesCopies ? 4 : 2
    for round in 0...last {
      var reports: [Store.SyncReport] = []
      for store in stores {
        switch meeting {
        case .folder: reports.append(try store.sync(with: .folder("\(path)/relay")))
        case .session:
          for other in stores where other !== store {
            reports.append(try store.sync(with: .store(other)))
          }
        case .thirdStore:
          if let third { reports.append(try store.sync(with: .store(third))) }
        }
      }
      for report in reports {
        expect(report.failure == nil, "a session fails: \(String(describing: report.failure))")
        expect(
          report.findings.isEmpty || hidesCopies && round < last,
          "there are findings: \(report.findings)")
        expect(report.isSynchronized || round < last, "the last round brings all together")
      }
    }
  }

  /// Checks that all stores have all commits, and the same bytes.
  func check(_ stores: [Store], base: Int, live: Int, restored: Int) {
    let lines = [("base", base), ("live", live), ("restored", restored)]
    let all = stores + [third].compactMap(\.self)
    let first = all[0].document
    for (name, count) in lines {
      let lost = (0..<count).filter { number in
        first.value(of: "value", of: "\(name) \(number)", in: "c") != .int(Int64(number))
      }
      expect(lost.isEmpty, "\(lost.count) of \(count) \(name) commits are lost")
    }
    let total = Int64(lines.reduce(0) { $0 + min($1.1, Self.countedMax) })
    let found = first.value(of: "count", of: "all", in: "c")
    expect(found == .int(total), "the count is \(String(describing: found)), not \(total)")
    let bytes = first.encoded()
    for store in all {
      let document = store.document
      expect(document.forks.isEmpty || hidesCopies, "\(store.path) has a fork")
      expect(document.version == first.version, "\(store.path) has another version")
      expect(document.encoded() == bytes, "\(store.path) has other bytes")
    }
  }

  /// Checks that those who have mended say so: the same of the same name, and as much as goes
  /// by the new one.
  func checkMends(_ stores: [Store]) {
    let all = stores + [third].compactMap(\.self)
    let mends = all.flatMap(\.mendedForks)
    let names = Dictionary(grouping: mends, by: \.replica).mapValues { Set($0.map(\.name)) }
    expect(!mends.isEmpty, "nobody has mended")
    expect(names.values.allSatisfy { $0.count == 1 }, "there are several names: \(names)")
    for mend in mends {
      // Those of before count as seen under the new name, too.
      let events = all[0].document.version[mend.name] - base[mend.replica]
      expect(mend.events == events, "\(mend): \(events) go by the name")
    }
  }

  private func expect(_ condition: Bool, _ claim: String) {
    if !condition { failures.append(claim) }
  }
}
