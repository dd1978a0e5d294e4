import CRDTKit

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
