import CRDTKit
import CRDTTestSupport

/// Plays a schedule on subjects and ledgers side by side.
struct CounterPlayer<Subject: CounterSubject> {
  struct Site {
    var subject = Subject.empty
    var ledger = CounterLedger()
    /// What each replica is known to have seen.
    var heard: [VersionVector]
  }

  private(set) var sites: [Site]
  private var time: UInt64 = 0

  init(count: Int) {
    sites = (0..<count).map { _ in
      Site(heard: Array(repeating: [:], count: count))
    }
  }

  private func replica(_ place: Int) -> ReplicaID { ReplicaID(UInt64(place) + 1) }

  mutating func play(_ step: CounterSchedule.Step) throws {
    time += 1
    switch step {
    case .act(let who, let action): try act(who, action)
    case .merge(let who, let other, let asDelta): try merge(who, from: other, asDelta: asDelta)
    case .recode(let who): sites[who].subject = try sites[who].subject.decoded()
    }
    for place in sites.indices { try check(place, after: "\(step)") }
  }

  private mutating func act(_ who: Int, _ action: CounterAction) throws {
    let seenByAll = sites[who].heard.enumerated().reduce(sites[who].subject.version) {
      $1.offset == who ? $0 : $0.meet($1.element)
    }
    let removes = try sites[who].subject.perform(
      action, by: replica(who), at: time, seenByAll: seenByAll)
    if removes { sites[who].ledger.remove(by: who) }
    if action.amount != 0 { sites[who].ledger.count(action.amount, by: who) }
  }

  private mutating func merge(_ who: Int, from other: Int, asDelta: Bool) throws {
    if asDelta {
      let delta = sites[other].subject.delta(since: sites[who].subject.version)
      try sites[who].subject.apply(delta)
    } else {
      sites[who].subject.merge(sites[other].subject)
    }
    sites[who].ledger.merge(sites[other].ledger)
    sites[who].heard[other] = sites[other].subject.version
  }

  private func check(_ place: Int, after step: String) throws {
    guard let sum = sites[place].subject.sum else { return }
    let expected = sites[place].ledger.sum
    guard sum == expected else {
      throw Discrepancy("replica \(place) shows \(sum), not \(expected), after .\(step)")
    }
  }

  /// Lets all hear of all, and then of what all have heard.
  mutating func end() throws {
    for _ in 0..<2 {
      for place in sites.indices {
        for other in sites.indices where other != place {
          try play(.merge(place, from: other, asDelta: place > other))
        }
      }
    }
    guard let first = sites.first?.subject else { return }
    for site in sites {
      guard site.subject == first, site.subject.encoded() == first.encoded() else {
        throw Discrepancy("the replicas have not converged")
      }
    }
  }
}

extension VersionVector {
  /// What both have seen.
  fileprivate func meet(_ other: VersionVector) -> VersionVector {
    reduce(into: [:]) { $0[$1.replica] = Swift.min($1.counter, other[$1.replica]) }
  }
}
