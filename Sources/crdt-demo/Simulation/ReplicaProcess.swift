/// One replica's life: it takes orders from its coordinator until there are none.
struct ReplicaProcess {
  private let settings: ReplicaSettings
  private var channel: CoordinatorChannel
  private var replica: Replica
  private var rounds = 0

  init(settings: ReplicaSettings, channel: CoordinatorChannel) {
    self.settings = settings
    self.channel = channel
    self.channel.setPatience(milliseconds: settings.patienceMilliseconds)
    replica = Replica(settings: settings)
  }

  /// Lives until there are no more orders.
  ///
  /// What goes wrong is for the coordinator to tell; where it is gone, there is
  /// nobody to tell it to.
  mutating func run() -> ExitStatus {
    do {
      if settings.isFreeRunning { try runFreely() }
      while let order = try channel.nextOrder() {
        try obey(order)
      }
      return .success
    } catch {
      try? channel.send(.trouble("\(error)"))
      return .trouble
    }
  }

  private mutating func obey(_ order: Order) throws {
    switch order {
    case .start: throw Trouble("the coordinator has started a replica twice")
    case .work(let round, let packets):
      try beSabotaged(in: round)
      try replica.take(packets)
      try replica.makeOperations()
      try answerRound()
    case .heal(let isFirst, let packets):
      try replica.take(packets)
      if isFirst { replica.askForAll() }
      try answerRound()
    case .packets(let packets):
      try replica.take(packets)
      try channel.send(
        .packets(replica.packets(), operationsMade: replica.counts.operations))
    case .report:
      try channel.send(.report(replica.report))
    }
  }

  private mutating func answerRound() throws {
    try channel.send(.round(packets: replica.packets(), operationsMade: replica.counts.operations))
  }

  /// Makes operations at a pace of its own, and takes in what comes meanwhile.
  private mutating func runFreely() throws {
    while replica.counts.operations < settings.operations {
      rounds += 1
      try beSabotaged(in: rounds)
      try replica.makeOperations()
      try channel.send(
        .packets(replica.packets(), operationsMade: replica.counts.operations))
      var pause = 2
      while case .order(let order) = try channel.order(milliseconds: pause) {
        try obey(order)
        pause = 0
      }
    }
  }
}

extension ReplicaProcess {
  /// Goes wrong on purpose, if it is time for that.
  private mutating func beSabotaged(in round: Int) throws {
    guard let sabotage = settings.sabotage, sabotage.round == round else { return }
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
    }
  }
}
