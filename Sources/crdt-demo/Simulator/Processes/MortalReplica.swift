import CRDTKit

/// What the coordinator knows of a replica whose process is killed now and then.
struct MortalReplica {
  /// How many of its processes were killed.
  var kills = 0
  /// What the replica last told is durable.
  private(set) var acknowledged = ReplicaHoldings()
  /// What it has done if the commit was made that it told of last.
  private(set) var intended: ReplicaAccount?
  /// How many changes it had told were durable that were not there when its store
  /// was opened again.
  private(set) var lost = 0
  /// Whether the next that it tells is what it has found in its store.
  var isOpening = false
  /// What it has done to the ledger, by what it had written: kept where some leave.
  private(set) var marks: [LedgerMark] = []
  /// The replica whose marks are kept, if they are.
  var marked: ReplicaID?

  /// Notes what the replica tells; says whether it was about what is durable.
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
