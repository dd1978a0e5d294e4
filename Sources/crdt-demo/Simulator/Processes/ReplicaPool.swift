import Toolkit

/// The replicas' processes: sends orders, receives replies, and detects processes that end
/// or are silent for too long.
struct ReplicaPool {
  /// Those that there are, by their places.
  private var children: [ChildProcess?]
  private var patiences: [Timeout]
  private let timeout: Duration
  /// What is going on, to say when it goes wrong.
  var occasion = "at the start"

  init(count: Int, timeout: Duration) {
    self.timeout = timeout
    children = Array(repeating: nil, count: count)
    patiences = Array(repeating: Timeout(timeout), count: count)
  }

  /// Starts a process.
  mutating func start(_ index: Int) throws(CommandFailure) {
    children[index] = try process(of: index)
  }

  /// Suspends a process until it is resumed.
  func halt(_ index: Int) { children[index]?.halt() }

  /// Lets a process go on; nobody has waited for it meanwhile.
  mutating func resume(_ index: Int) {
    children[index]?.resume()
    patiences[index].renew()
  }

  /// Ends a process that has nothing more to do.
  mutating func end(_ index: Int) throws(CommandFailure) {
    if let problem = problemAtEnd(of: index, patiently: true) { throw problem }
    children[index] = nil
  }

  private func process(of index: Int) throws(CommandFailure) -> ChildProcess {
    do {
      return try ChildProcess(
        path: Syscalls.executablePath,
        arguments: [Console.name, ReplicaCommand.name, String(index + 1)])
    } catch {
      throw CommandFailure("replica \(index + 1) can't be started: \(error.trouble)")
    }
  }

  /// Kills a replica's process.
  ///
  /// Returns its last replies.
  mutating func kill(_ index: Int) throws(CommandFailure) -> [Reply] {
    var replies: [Reply] = []
    do {
      let ending = try children[index]?.killAtOnce()
      while let reply = try nextReply(from: index) { replies.append(reply) }
      guard ending?.isKill == true else {
        let fate = ending.map { "\($0)" } ?? "can't be killed"
        throw CommandFailure("replica \(index + 1) \(fate) \(occasion)")
      }
    } catch let failure as Syscalls.Failure {
      throw CommandFailure("replica \(index + 1): \(failure.trouble)")
    } catch let trouble as CommandFailure {
      throw trouble
    } catch {
      throw CommandFailure("replica \(index + 1), \(occasion): \(error)")
    }
    children[index] = nil
    return replies
  }

  /// Sends an order, and resets the process's timeout.
  mutating func send(_ order: Order, to index: Int) {
    patiences[index].renew()
    children[index]?.enqueue(order.frame)
    children[index]?.flush()
  }

  /// Waits for a reply of one of some replicas; returns `nil` after the time limit.
  ///
  /// Replies of other replicas stay queued.
  mutating func nextReply(
    of expected: Set<Int>, milliseconds: Int? = nil
  ) throws(CommandFailure) -> (index: Int, reply: Reply)? {
    let clock = ContinuousClock()
    let end = milliseconds.map { clock.now + .milliseconds($0) }
    while true {
      if let found = try nextWhole(of: expected) { return found }
      let start = clock.now
      if let end, start >= end { return nil }
      var slice = expected.map { patiences[$0].sliceMilliseconds }.min() ?? 100
      if let end { slice = min(slice, max(1, Int((end - start) / .milliseconds(1)))) }
      try exchange(with: expected, milliseconds: slice)
      let waited = clock.now - start
      for index in expected.sorted() {
        patiences[index].spend(waited)
        if patiences[index].isOver { throw silence(of: index) }
      }
    }
  }

  /// The first complete reply.
  private mutating func nextWhole(
    of expected: Set<Int>
  ) throws(CommandFailure) -> (index: Int, reply: Reply)? {
    for index in expected.sorted() {
      if let reply = try nextReply(from: index) { return (index, reply) }
    }
    return nil
  }

  private mutating func nextReply(from index: Int) throws(CommandFailure) -> Reply? {
    do {
      guard let frame = try children[index]?.nextFrame() else { return nil }
      patiences[index].renew()
      let reply = try Reply(body: frame)
      if case .trouble(let text) = reply { throw CommandFailure(text) }
      return reply
    } catch let trouble as CommandFailure {
      throw CommandFailure("replica \(index + 1), \(occasion): \(trouble)")
    } catch {
      throw CommandFailure("replica \(index + 1), \(occasion), said what makes no sense: \(error)")
    }
  }

  /// Waits briefly, reads available bytes, and writes queued ones.
  private mutating func exchange(
    with expected: Set<Int>, milliseconds: Int
  ) throws(CommandFailure) {
    let readers = expected.sorted().filter { (children[$0]?.reading ?? -1) >= 0 }
    let writers = children.indices.filter { children[$0]?.hasWaiting ?? false }
    let ready = try Syscalls.reporting { () throws(Syscalls.Failure) in
      try Syscalls.wait(
        reading: readers.compactMap { children[$0]?.reading },
        writing: writers.compactMap { children[$0]?.writing }, milliseconds: milliseconds)
    }
    for (index, readiness) in zip(readers, ready) where readiness.canRead {
      do {
        guard try children[index]?.fill() ?? true else { throw ending(of: index) }
      } catch let failure as Syscalls.Failure {
        throw CommandFailure("replica \(index + 1): \(failure.trouble)")
      } catch {
        throw ending(of: index)
      }
    }
    for (index, readiness) in zip(writers, ready.dropFirst(readers.count)) where readiness.canWrite
    {
      children[index]?.flush()
    }
  }

  private mutating func ending(of index: Int) -> CommandFailure {
    let isPartial = children[index]?.isPartial ?? false
    let place = isPartial ? "\(occasion), in the middle of a message" : occasion
    guard let ending = children[index]?.stop(patiently: true) else {
      return CommandFailure(
        "replica \(index + 1) closed its pipe \(place) but did not end; it was killed")
    }
    return CommandFailure("replica \(index + 1) \(ending) \(place)")
  }

  private mutating func silence(of index: Int) -> CommandFailure {
    let ending = children[index]?.stop(patiently: false)
    let seconds = timeout / .seconds(1)
    let fate = ending.map { "it \($0)" } ?? "it was killed"
    return CommandFailure("replica \(index + 1) said nothing for \(seconds) s \(occasion); \(fate)")
  }

  /// Ends and reaps all processes.
  ///
  /// Returns those that failed.
  mutating func stop(patiently: Bool) throws(CommandFailure) {
    var first: CommandFailure?
    for index in children.indices where children[index] != nil {
      let problem = problemAtEnd(of: index, patiently: patiently)
      first = first ?? problem
    }
    if patiently, let first { throw first }
  }

  /// Ends and reaps a process.
  ///
  /// Returns the failure, if any.
  private mutating func problemAtEnd(of index: Int, patiently: Bool) -> CommandFailure? {
    switch children[index]?.stop(patiently: patiently) {
    case .exited(status: 0): nil
    case let ending?: CommandFailure("replica \(index + 1) \(ending) at the end")
    case nil: CommandFailure("replica \(index + 1) did not end; it was killed")
    }
  }
}
