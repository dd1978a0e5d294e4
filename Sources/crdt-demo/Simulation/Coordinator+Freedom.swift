extension Coordinator {
  /// How late, in milliseconds, a chunk is for each step that others overtake it.
  private static let stepMilliseconds = 2

  /// Lets the replicas go at their own pace, and carries their bytes as they come,
  /// until all have made their operations.
  mutating func runFreely() throws(Trouble) {
    pool.occasion = "while running freely"
    let clock = ContinuousClock()
    let start = clock.now
    while made != shares {
      let now = Int((clock.now - start) / .milliseconds(1))
      recorder?.advance(to: UInt64(now) * 1_000)
      for (index, messages) in network.arrivals(at: now).enumerated() {
        deliver(messages, to: index)
      }
      let busy = Set(shares.indices.filter { made[$0] < shares[$0] })
      let pause = max(0, (network.nextArrival ?? now + 100) - now)
      guard let (index, reply) = try pool.nextReply(of: busy, milliseconds: pause) else { continue }
      guard case .messages(let messages, let operationsMade) = reply,
        operationsMade <= shares[index]
      else { throw unasked(index) }
      made[index] = operationsMade
      let arrival = Int((clock.now - start) / .milliseconds(1))
      recorder?.advance(to: UInt64(arrival) * 1_000)
      recordStates(except: [])
      try network.send(messages, from: index, at: arrival, step: Self.stepMilliseconds)
      show(workDone)
    }
  }
}
