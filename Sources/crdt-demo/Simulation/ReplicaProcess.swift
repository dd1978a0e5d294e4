/// One replica's life: it takes orders from its coordinator until there are none.
struct ReplicaProcess {
  private let settings: ReplicaSettings
  private var channel: CoordinatorChannel
  private var replica: Replica
  private var rounds = 0
  /// How long a replica that runs freely listens before it speaks again.
  private static let paceMilliseconds = 3

  init(settings: ReplicaSettings, channel: CoordinatorChannel) throws {
    self.settings = settings
    self.channel = channel
    self.channel.setPatience(milliseconds: settings.patienceMilliseconds)
    if settings.isMortal { try self.channel.send(.awake) }
    replica = try Replica(settings: settings)
    if settings.isMortal { try self.channel.send(.holds(replica.holdings)) }
  }

  /// Lives one life.
  ///
  /// What goes wrong is for the coordinator to tell; where it is gone, there is
  /// nobody to tell it to.
  static func run(settings: ReplicaSettings, channel: CoordinatorChannel) -> ExitStatus {
    var channel = channel
    do {
      var process = try ReplicaProcess(settings: settings, channel: channel)
      try process.run()
      return .success
    } catch {
      try? channel.send(.trouble("\(error)"))
      return .trouble
    }
  }

  /// Lives until there are no more orders.
  private mutating func run() throws {
    if settings.isFreeRunning { try runFreely() }
    while let order = try channel.nextOrder() {
      try obey(order)
    }
    try replica.close()
  }

  private mutating func obey(_ order: Order) throws {
    switch order {
    case .start: throw Trouble("the coordinator has started a replica twice")
    case .work(let round, let messages):
      try beSabotaged(in: round)
      if settings.isMortal { try channel.send(.awake) }
      try replica.take(messages)
      if settings.isMortal { try channel.send(.holds(replica.holdings)) }
      try makeOperations()
      try answerRound()
    case .heal(let messages):
      replica.trustLinks()
      try replica.take(messages)
      try answerRound()
    case .messages(let messages):
      try replica.take(messages)
      let next = try takeMessages()
      try answerFreely()
      if let next { try obey(next) }
    case .delivery(let messages):
      try replica.take(messages)
      if settings.isMortal { try channel.send(.holds(replica.holdings)) }
    case .jump(let milliseconds): replica.jump(by: milliseconds)
    case .report:
      try channel.send(.report(replica.report))
    }
  }

  private mutating func makeOperations() throws {
    let isTold = settings.isMortal
    try replica.makeOperations { if isTold { try channel.send($0) } }
  }

  private mutating func answerRound() throws {
    if settings.tellsState { try channel.send(.state(replica.state)) }
    let messages = try replica.messages()
    try channel.send(.round(messages: messages, operationsMade: replica.counts.operations))
  }

  private mutating func answerFreely() throws {
    let messages = try replica.messages()
    try channel.send(.messages(messages, operationsMade: replica.counts.operations))
  }

  /// Makes operations at a pace of its own, and takes in what comes meanwhile.
  private mutating func runFreely() throws {
    while replica.counts.operations < settings.operations {
      rounds += 1
      try beSabotaged(in: rounds)
      try makeOperations()
      try answerFreely()
      if let next = try takeMessages() { try obey(next) }
    }
  }

  /// Takes in what comes in a short while, and gives the first order that is about
  /// something else.
  ///
  /// It is answered together: if all that comes were answered at once, the answers
  /// would be answered too, and a mesh would drown in them.
  private mutating func takeMessages() throws -> Order? {
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(Self.paceMilliseconds)
    repeat {
      switch try channel.order(milliseconds: 1) {
      case .order(.messages(let messages)): try replica.take(messages)
      case .order(let order): return order
      case .nothing: break
      case .end: return nil
      }
    } while clock.now < end
    return nil
  }
}

extension ReplicaProcess {
  /// Goes wrong on purpose, if it is time for that.
  private mutating func beSabotaged(in round: Int) throws {
    guard let sabotage = settings.sabotage else { return }
    // A fault of the replica's mind is there in the next process, too.
    if sabotage.kind == .boast { replica.isBoasting = sabotage.round <= round }
    guard sabotage.round == round else { return }
    switch sabotage.kind {
    case .exit: Syscalls.exitNow(7)
    case .kill: Syscalls.killSelf()
    case .hang:
      Syscalls.sleep(milliseconds: settings.patienceMilliseconds)
      Syscalls.exitNow(7)
    case .babble: try channel.write(FrameBuffer.frame([0xFF, 0xFE])[...])
    case .tear:
      try channel.write([0xFF, 0, 0, 0, 1])
      Syscalls.exitNow(7)
    case .deaf: replica.isDeaf = true
    case .fork: replica.impersonate(settings.neighbours[0])
    // The rest is of worlds.
    default: break
    }
  }
}
