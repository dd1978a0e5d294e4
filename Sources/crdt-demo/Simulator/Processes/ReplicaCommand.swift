package import Toolkit

/// `crdt-demo replica`: one replica of a simulation, started by its coordinator.
package enum ReplicaCommand {
  static func run() -> ExitStatus {
    var console = Console(isQuiet: true)
    if Syscalls.isTerminal(0) || Syscalls.isTerminal(1) {
      console.error("replicas are started by 'simulate', not by hand")
      console.hint(Console.hint)
      return .usage
    }
    do {
      var channel = try CoordinatorChannel()
      guard let order = try channel.nextOrder() else { return .success }
      guard case .start(let settings) = order else {
        throw CommandFailure("the coordinator's first order makes no sense")
      }
      return ReplicaProcess.run(settings: settings, channel: channel)
    } catch {
      console.error("a replica ended: \(error)")
      return .trouble
    }
  }
}

extension ReplicaCommand: Command {
  package static let name = "replica"
  package static let operands = ""
  package static let statuses = ""
  package static let help = ""

  package static func run(_ arguments: Arguments) async throws(UsageError) -> ExitStatus { run() }
}

/// One replica's life: it takes orders from its coordinator until there are none.
struct ReplicaProcess {
  private let settings: ReplicaSettings
  private var channel: CoordinatorChannel
  private var replica: Replica

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
    while let order = try channel.nextOrder() {
      try obey(order)
    }
    try replica.close()
  }

  private mutating func obey(_ order: Order) throws {
    switch order {
    case .start: throw CommandFailure("the coordinator has started a replica twice")
    case .work(let round, let milliseconds, let target, let messages):
      try beSabotaged(in: round)
      let isTold = settings.isMortal
      if isTold { try channel.send(.awake) }
      replica.setClock(to: milliseconds)
      try replica.take(messages)
      if isTold { try channel.send(.holds(replica.holdings)) }
      try replica.makeOperations(until: target) { if isTold { try channel.send($0) } }
      try answer()
    case .heal(let messages):
      replica.trustLinks()
      try replica.take(messages)
      try answer()
    case .report:
      try channel.send(.report(replica.report))
    }
  }

  private mutating func answer() throws {
    if settings.tellsState { try channel.send(.state(replica.state)) }
    let messages = try replica.messages()
    try channel.send(.round(messages: messages, operationsMade: replica.counts.operations))
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
