extension Coordinator {
  /// How late, in milliseconds, a chunk is for each step that others overtake it.
  private static let stepMilliseconds = 2
  /// How many milliseconds stand for a round where it is drawn who is stopped.
  private static let pauseMilliseconds = 10

  /// Lets the replicas go at their own pace, and carries their bytes as they come,
  /// until all have made their operations and all that was to happen is over.
  mutating func runFreely() throws(Trouble) {
    pool.occasion = "while running freely"
    let clock = ContinuousClock()
    let start = clock.now
    func milliseconds() -> Int { Int((clock.now - start) / .milliseconds(1)) }
    while made != shares || !timetable.isOver || !standstills.isEmpty {
      let now = milliseconds()
      recorder?.advance(to: UInt64(now) * 1_000)
      try keepTimetable(at: now)
      stopAndResume(at: now)
      for (index, messages) in network.arrivals(at: now).enumerated() {
        deliver(messages, to: index)
      }
      guard let (index, reply) = try pool.nextReply(of: busy, milliseconds: pause(from: now))
      else { continue }
      guard case .messages(let messages, let operationsMade) = reply,
        operationsMade <= shares[index]
      else { throw unasked(index) }
      made[index] = operationsMade
      let arrival = milliseconds()
      recorder?.advance(to: UInt64(arrival) * 1_000)
      recordStates(except: [])
      try network.send(messages, from: index, at: arrival, step: Self.stepMilliseconds)
      show(workDone)
    }
    rounds = 0
  }

  /// Those who must say something.
  private var busy: Set<Int> {
    Set(shares.indices.filter { made[$0] < shares[$0] && standstills[$0] == nil })
  }

  /// How long nothing happens by itself.
  private func pause(from now: Int) -> Int {
    let isStopping = options.pause != nil && (made != shares || !standstills.isEmpty)
    let moments = [
      network.nextArrival, timetable.next, isStopping ? now + Self.pauseMilliseconds : nil,
    ]
    return max(0, (moments.compactMap { $0 }.min() ?? now + 100) - now)
  }

  /// Stops processes and lets them go on, once for each time that stands for a round.
  ///
  /// What they had said before is heard at once: real time decides here anyway.
  private mutating func stopAndResume(at now: Int) {
    guard options.pause != nil, now / Self.pauseMilliseconds > rounds else { return }
    rounds = now / Self.pauseMilliseconds
    _ = resume()
    guard made != shares else { return }
    let perils = Perils(halted: pauser.draw(sparing: made.indices.map { standstills[$0] != nil }))
    halt(perils)
    for index in perils.halted.keys { pool.halt(index) }
  }
}
