/// A fault of a replica itself, not of its links: to see how a dead, silent or
/// diverging replica is found out.
struct FaultInjection: Equatable, Codable, Sendable {
  /// The kind of fault.
  enum Kind: String, CaseIterable, Codable, Sendable {
    /// The process ends with status 7.
    case exit
    /// The process ends by SIGKILL.
    case kill
    /// The process stops responding.
    case hang
    /// The process sends an invalid message.
    case babble
    /// The process ends in the middle of a message.
    case tear
    /// The replica applies no further changes, so that it diverges.
    case deaf
    /// The replica continues under the identifier of another.
    case fork
    /// From that round on, the replica reports operations as committed too early.
    case boast
    /// The replica of a world loses durable edits when it crashes.
    case forgetful
    /// The replica of a world occasionally returns to an older state.
    case backwards
    /// The disks of a world's stores report success for synchronizations that have no
    /// effect.
    case storeFdatasync = "store-fdatasync"
    /// What a world knows of names that are used in two places: see ``WorldFault``.
    case unmarked, unnoticed, unwritten, homeless, refused
    case sameDots = "same-dots"
    /// What a world knows of apps and their server.
    case lateTimes = "late-times"
    case blindRetries = "blind-retries"
    case oldReceipts = "old-receipts"
    case unqueuedEdits = "unqueued-edits"
    case doubledCounters = "doubled-counters"

    /// The same, as a world knows it.
    var ofWorlds: WorldFault? { WorldFault(rawValue: rawValue) }

    var isOfProcesses: Bool { ofWorlds == nil || self == .deaf }

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  /// The replica's index, from 0.
  var replica: Int
  /// The round in which it happens, from 1.
  var round: Int
  var kind: Kind
}

extension FaultInjection: LosslessStringConvertible {
  /// Parses `REPLICA:ROUND:KIND`, with replicas counted from 1, and `KIND`, which means
  /// replica 1 from the beginning.
  init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard let kind = Kind(rawValue: String(parts.last ?? "")) else { return nil }
    if parts.count == 1 {
      self.init(replica: 0, round: 1, kind: kind)
      return
    }
    guard parts.count == 3, let number = Int(parts[0]), number >= 1,
      let round = Int(parts[1]), round >= 1
    else { return nil }
    self.init(replica: number - 1, round: round, kind: kind)
  }

  /// What a text may say, for people.
  static let forms = "WHAT or REPLICA:ROUND:WHAT, where WHAT is one of \(Kind.names)"

  func problem(of engine: Scenario.Engine) -> String? {
    switch engine {
    case .processes where !kind.isOfProcesses:
      return "processes have no sabotage '\(kind.rawValue)': set the engine to world"
    case .world where kind.ofWorlds == nil:
      return "a world has no sabotage '\(kind.rawValue)': set the engine to processes"
    case .world where replica != 0 || round != 1:
      return
        "in a world, sabotage is replica 1's, from the beginning: write '\(kind.rawValue)' alone"
    default: return nil
    }
  }

  var description: String { "\(replica + 1):\(round):\(kind.rawValue)" }
}
