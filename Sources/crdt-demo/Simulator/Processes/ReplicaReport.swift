import CRDTKit

/// The result of a simulation for one replica.
struct ReplicaReport: Equatable, Codable {
  var counts = ReplicaCounts()
  /// The digest of each part of the document, in the order of
  /// ``DocumentSummary/partNames``.
  var digests: [String] = []
  /// What the document holds, in words.
  var contents: [String] = []
  var conflictsOpen = 0
  /// The sums of the ledger's counters, and what this replica has added to them.
  var sums: [Int] = []
  var added: [Int] = []
  /// How many entries of each replica the ledger has, and how many this one made.
  var entries: [Int] = []
  var entriesMade = 0
  /// The events that the document has taken in.
  var version: VersionVector = [:]
  /// What it had done to the ledger by then, and then: kept where some leave.
  var marks: [LedgerMark] = []
}

/// What a replica's document is, in short.
struct ReplicaState: Equatable, Codable {
  /// The digest of the whole document.
  var digest: String
  /// What it holds, in words.
  var value: String
}

extension ReplicaReport {
  /// What the document was in the end.
  var state: ReplicaState {
    ReplicaState(digest: digest, value: contents.joined(separator: ", "))
  }
}

/// What a replica had done to the ledger when it had written so much.
///
/// Of a replica that left, the others hold what they had received until then: the mark
/// of that moment says what it must have come to.
struct LedgerMark: Equatable, Codable {
  /// How many events the replica had written.
  var counter: UInt64
  /// What it had added to the ledger's counters.
  var added: [Int]
  /// How many entries it had made.
  var entriesMade: Int

  init(counter: UInt64, added: [Int], entriesMade: Int) {
    self.counter = counter
    self.added = added
    self.entriesMade = entriesMade
  }

  init(counter: UInt64, account: ReplicaAccount) {
    self.init(counter: counter, added: account.added, entriesMade: account.entriesMade)
  }
}

/// What a replica has done until a moment of its life, so that another process can
/// go on from there.
struct ReplicaAccount: Equatable, Codable {
  var counts = ReplicaCounts()
  /// What it has added to the ledger's counters.
  var added = [0, 0]
  /// How many entries it has made in the ledger.
  var entriesMade = 0
}

/// The counts of one replica.
struct ReplicaCounts: Equatable, Codable {
  /// Operations made here.
  var operations = 0
  /// Deleted records that were removed for good here.
  var recordsPurged = 0
  var framesSent = 0
  var bytesSent = 0
  var bytesReceived = 0
  /// Streams that this replica was given, one after another, to all neighbours.
  var connections = 0
  /// Streams that this replica closed because what came was damaged.
  var streamsDamaged = 0
  /// Streams that this replica closed because nothing came any more.
  var streamsStalled = 0
  /// Deltas that brought something new.
  var deltasLearned = 0
  /// Processor time, in microseconds.
  var microseconds = 0
}

extension ReplicaCounts: Tally {
  static var fields: [WritableKeyPath<Self, Int>] {
    [
      \.operations, \.recordsPurged, \.framesSent, \.bytesSent, \.bytesReceived, \.connections,
      \.streamsDamaged, \.streamsStalled, \.deltasLearned, \.microseconds,
    ]
  }
}

/// What is durable in a replica's store: what it was told is there, and what it has
/// done itself.
struct ReplicaHoldings: Equatable, Codable {
  var account = ReplicaAccount()
  /// The events that the store has taken in, of all replicas.
  var version: VersionVector = [:]

  /// How many of these events another version lacks.
  func eventsMissing(in other: VersionVector) -> Int {
    version.reduce(0) { count, entry in
      let held = other[entry.replica]
      return held < entry.counter ? count + Int(clamping: entry.counter - held) : count
    }
  }
}

/// The coordinator's state of a replica whose process is occasionally killed.
struct MortalReplica {
  /// The number of its killed processes.
  var kills = 0
  /// The durable state that the replica last reported.
  private(set) var acknowledged = ReplicaHoldings()
  /// The state of the replica if its last announced commit was made.
  private(set) var intended: ReplicaAccount?
  /// The number of changes that were reported as durable, but missing when its store was
  /// reopened.
  private(set) var lost = 0
  /// Whether its next report is about the state found in its store.
  var isOpening = false
  /// What it has done to the ledger, by what it had written: kept where some leave.
  private(set) var marks: [LedgerMark] = []
  /// The replica whose marks are kept, if they are.
  var marked: ReplicaID?

  /// Records a reply of the replica.
  ///
  /// Returns whether it was about durability.
  @discardableResult
  mutating func take(_ reply: Reply) -> Bool {
    switch reply {
    case .awake: break
    case .intends(let account): intended = account
    case .holds(let holdings): take(holdings)
    default: return false
    }
    return true
  }

  private mutating func take(_ holdings: ReplicaHoldings) {
    if isOpening {
      lost += acknowledged.eventsMissing(in: holdings.version)
      intended = nil
      isOpening = false
    }
    acknowledged = holdings
    guard let marked else { return }
    let mark = LedgerMark(counter: holdings.version[marked], account: holdings.account)
    if mark != marks.last { marks.append(mark) }
  }
}
