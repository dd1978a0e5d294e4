extension Coordinator {
  /// Those whose answers are waited for.
  private var awaited: Set<Int> {
    Set(owed.indices.filter { owed[$0] > 0 && standstills[$0] == nil })
  }

  /// Waits until all have answered who are not stopped or killed; gives what they
  /// send.
  mutating func gather(
    _ perils: Perils, _ overdue: [(index: Int, reply: Reply)], _ killed: inout Set<Int>
  ) throws(Trouble) -> [[LinkMessage]] {
    var sent: [[LinkMessage]] = Array(repeating: [], count: shares.count)
    for (index, reply) in overdue { try take(reply, of: index, sending: &sent[index]) }
    var deaths: [Int: ContinuousClock.Instant] = [:]
    let start = ContinuousClock.now
    var halts = perils.halted.mapValues { start + $0.delay }
    while true {
      let waiting = awaited
      if waiting.isEmpty, deaths.isEmpty, halts.isEmpty { return sent }
      if let index = halts.first(where: { $0.value <= .now })?.key {
        halts[index] = nil
        pool.halt(index)
        continue
      }
      if let index = deaths.first(where: { $0.value <= .now })?.key {
        deaths[index] = nil
        killed.insert(index)
        try kill(index)
        continue
      }
      let moment = [halts.values.min(), deaths.values.min()].compactMap { $0 }.min()
      let pause = moment.map { Int(($0 - ContinuousClock.now) / .milliseconds(1)) }
      guard let (index, reply) = try listen(to: waiting, milliseconds: pause) else { continue }
      if mortals[index].take(reply) {
        if case .awake = reply, let delay = perils.doomed[index] { deaths[index] = .now + delay }
      } else {
        try take(reply, of: index, sending: &sent[index])
      }
    }
  }

  /// Waits for what anybody says; what those said before who are stopped is kept for
  /// later, but for what is durable by then.
  mutating func listen(
    to waiting: Set<Int>, milliseconds: Int? = nil
  ) throws(Trouble) -> (index: Int, reply: Reply)? {
    guard let (index, reply) = try pool.nextReply(of: waiting, milliseconds: milliseconds) else {
      return nil
    }
    guard standstills[index] != nil else { return (index, reply) }
    if !mortals[index].take(reply) { standstills[index]?.replies.append(reply) }
    return nil
  }

  /// Takes what a replica says in a round.
  private mutating func take(
    _ reply: Reply, of index: Int, sending sent: inout [LinkMessage]
  ) throws(Trouble) {
    switch reply {
    case .round(let messages, let operationsMade):
      guard owed[index] > 0 else { throw unasked(index) }
      owed[index] -= 1
      sent += messages
      made[index] = operationsMade
    case .messages(let messages, _): sent += messages
    case .state(let state): told[index] = state
    default: throw unasked(index)
    }
  }

  /// What all replicas tell of themselves, or told when they left.
  mutating func collectReports() throws(Trouble) -> [ReplicaReport] {
    pool.occasion = "when asked for its report"
    let reports = try reports(of: Set(shares.indices.filter { presence[$0] == .here }))
    return shares.indices.map { index in
      var report = reports[index] ?? farewells[index] ?? ReplicaReport()
      if options.crash != nil { report.marks = mortals[index].marks }
      return report
    }
  }

  /// Asks replicas to tell of themselves.
  mutating func reports(of places: Set<Int>) throws(Trouble) -> [Int: ReplicaReport] {
    for index in places.sorted() { pool.send(.report, to: index) }
    var reports: [Int: ReplicaReport] = [:]
    while reports.count < places.count {
      let waiting = places.filter { reports[$0] == nil }
      guard let (index, reply) = try listen(to: waiting) else { continue }
      guard case .report(let report) = reply, waiting.contains(index) else { throw unasked(index) }
      reports[index] = report
    }
    return reports
  }
}
