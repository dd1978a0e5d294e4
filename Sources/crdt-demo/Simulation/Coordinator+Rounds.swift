extension Coordinator {
  /// Lets the replicas make their operations, round by round, until all is done and
  /// all that was to happen meanwhile is over.
  mutating func runRounds() throws(Trouble) {
    while !isWorkDone || !timetable.isOver || !leaving.isEmpty || !standstills.isEmpty {
      rounds += 1
      pool.occasion = "in round \(rounds)"
      recorder?.begin(round: rounds)
      try keepTimetable(at: rounds)
      let before = made
      let round = rounds
      let perils = drawPerils()
      let killed = try exchange(perils) { .work(round: round, messages: $0) }
      try checkWork(since: before, killed)
      show("round \(rounds): \(workDone)")
    }
  }

  /// Whether all who are to make operations have made them.
  private var isWorkDone: Bool {
    made.indices.allSatisfy { presence[$0] == .gone || made[$0] == shares[$0] }
  }

  /// Draws who is killed or stopped in a round.
  private mutating func drawPerils() -> Perils {
    let isAbsent = presence.map { $0 != .here }
    let isSpared = zip(mortals, isAbsent).map { $0.isSpared || $1 }
    var perils = Perils(doomed: reaper.drawDoomed(sparing: isSpared))
    guard !isWorkDone else { return perils }
    perils.halted = pauser.draw(
      sparing: isSpared.indices.map {
        isSpared[$0] || standstills[$0] != nil || perils.doomed[$0] != nil
      })
    return perils
  }

  private mutating func checkWork(since before: [Int], _ killed: Set<Int>) throws(Trouble) {
    for index in made.indices where presence[index] == .here {
      let isIdle = made[index] == before[index] && made[index] < shares[index]
      // It is not killed again before it has done something.
      mortals[index].isSpared = isIdle && killed.contains(index)
      guard isIdle, options.rate == nil, !killed.contains(index), standstills[index] == nil else {
        continue
      }
      throw Trouble("replica \(index + 1) made no operation \(pool.occasion)")
    }
  }

  /// How many bytes a link carries in a round at least, where there are so many.
  private static let roundBytes = 1 << 14

  /// Heals the links, connects all anew and lets the replicas tell one another all
  /// they missed: until nobody has anything more to say.
  ///
  /// How many rounds that may take grows with the way from one replica to another
  /// and with how much there is to tell.
  mutating func heal() throws(Trouble) -> Int {
    let bytesBefore = network.counts.bytes
    recorder?.begin(round: rounds + 1)
    network.heal(at: rounds + 1)
    var round = 0
    while !network.isQuiet {
      let bytes = network.counts.bytes - bytesBefore
      guard round < 4 * options.replicas + 16 + bytes / Self.roundBytes else {
        throw Trouble("\(round) rounds after the links healed, the replicas still have to talk")
      }
      round += 1
      rounds += 1
      pool.occasion = "in round \(round) after the links healed"
      show("healing: round \(round)")
      try exchange(Perils()) { .heal($0) }
    }
    return round
  }

  /// One round: gives every replica what has arrived, and takes what they send.
  ///
  /// Some are killed in it, so long after they have begun, and others stopped; says
  /// who was killed.
  @discardableResult
  private mutating func exchange(
    _ perils: Perils, _ order: ([LinkMessage]) -> Order
  ) throws(Trouble) -> Set<Int> {
    recorder?.begin(round: rounds)
    var killed = try killStopped(among: perils)
    let overdue = resume()
    for (index, messages) in network.arrivals(at: rounds).enumerated()
    where presence[index] == .here && !killed.contains(index) {
      if standstills[index] != nil {
        deliver(messages, to: index)
      } else {
        owed[index] += 1
        pool.send(order(messages), to: index)
      }
    }
    halt(perils)
    let sent = try gather(perils, overdue, &killed)
    recordStates(except: killed)
    for (index, messages) in sent.enumerated() where !killed.contains(index) {
      try network.send(messages, from: index, at: rounds + 1)
    }
    for index in killed.sorted() {
      network.abort(linksOf: index, at: rounds + 1)
      try open(index)
      made[index] = mortals[index].acknowledged.account.counts.operations
    }
    return killed
  }
}
