extension Coordinator {
  /// Makes the folder of the stores, which must be missing or empty: stores of an
  /// earlier run hold what this one doesn't know of.
  func makeStoreFolder() throws(Trouble) {
    guard let folder = options.storeFolder else { return }
    do throws(Syscalls.Failure) {
      if try Syscalls.makeFolder(folder) { return }
      if try Syscalls.isEmptyFolder(folder) { return }
    } catch {
      throw Trouble("the folder '\(folder)' can't be used for stores: \(error.trouble)")
    }
    throw Trouble("the folder '\(folder)' is not empty; name a new one for the stores")
  }

  private mutating func start(_ index: Int) {
    pool.send(.start(settings(of: index)), to: index)
    mortals[index].isOpening = true
  }

  /// What a replica is told of its store.
  func storeSettings(of index: Int) -> StoreSettings? {
    guard let folder = options.storeFolder else { return nil }
    let mortal = mortals[index]
    return StoreSettings(
      path: "\(folder)/\(index + 1)", isMortal: options.crash != nil, deaths: mortal.kills,
      acknowledged: mortal.acknowledged, intended: mortal.intended)
  }

  /// Kills a replica's process, and has another in its place, which waits for its
  /// first order.
  mutating func kill(_ index: Int) throws(Trouble) {
    for reply in try pool.replace(index) { mortals[index].take(reply) }
    mortals[index].kills += 1
    (owed[index], standstills[index]) = (0, nil)
    recorder?.record(.crash, index, detail: "killed by SIGKILL")
  }

  /// Tells a new process who it is, and waits until its store is open; once in a
  /// while kills it even then.
  mutating func open(_ index: Int) throws(Trouble) {
    start(index)
    var delay = reaper.drawDelayOfOpening()
    var moment: ContinuousClock.Instant?
    while true {
      if let due = moment, due <= .now {
        try kill(index)
        start(index)
        (moment, delay) = (nil, reaper.drawDelayOfOpening())
        continue
      }
      let pause = moment.map { Int(($0 - .now) / .milliseconds(1)) }
      guard let (speaker, reply) = try listen(to: [index], milliseconds: pause) else { continue }
      guard speaker == index else { throw unasked(speaker) }
      switch reply {
      case .awake: moment = delay.map { .now + $0 }
      case .holds:
        mortals[index].take(reply)
        guard moment == nil else { continue }
        if mortals[index].kills > 0 { recorder?.record(.restart, index) }
        return
      default: throw unasked(index)
      }
    }
  }

  /// How many changes that a replica told were durable are not there: when its store
  /// was opened again, or in the end, with it and all who could hear of them from it.
  func eventsLost(_ reports: [ReplicaReport], in groups: [[Int]]) -> Int {
    var lost = mortals.reduce(0) { $0 + $1.lost }
    for group in groups + farewells.keys.map({ [$0] }) {
      for place in group {
        let missing = group.map {
          mortals[$0].acknowledged.eventsMissing(in: reports[place].version)
        }
        lost += missing.max() ?? 0
      }
    }
    return lost
  }
}
