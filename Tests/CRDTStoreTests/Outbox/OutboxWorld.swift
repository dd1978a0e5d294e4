import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// An outbox, its server, what lies between them, and a plain account of all that was
/// queued: nothing in it knows how the machine decides.
struct OutboxWorld {
  struct Discrepancy: Error, CustomStringConvertible {
    var description: String
  }

  /// What was queued under an identifier: the values of fields, and all else as it is.
  struct Account: Equatable {
    var values: [FieldPath: Document.Value?] = [:]
    var others: [Document.FieldChange] = []

    init(_ changes: [Document.FieldChange]) { take(changes) }

    mutating func take(_ changes: [Document.FieldChange]) {
      for change in changes {
        switch change.change {
        case .assign(let value, _): values[change.path] = .some(value)
        case .remove: values[change.path] = .some(nil)
        default: others.append(change)
        }
      }
    }
  }

  static let records = ["a", "b", "c", "d"].map { Document.RecordID($0, in: "notes") }

  var random: SeededGenerator
  var now: UInt64 = 1_700_000_000_000
  var machine: OutboxMachine
  var server = ReferenceServer()
  /// What has happened, in words; kept only where someone is to read it.
  var trace: [String]?

  /// What a crash leaves at least, and the commits after that, which it may cut.
  var durable: [String: [UInt8]] = [:]
  var recent: [[(key: String, value: [UInt8]?)]] = []

  var counter: UInt64 = 0
  var queued: [Outbox.OperationID: Account] = [:]
  /// The operations in the order in which they were queued, by record.
  var order: [Document.RecordID: [Outbox.OperationID]] = [:]
  /// Which operation answers for one that was taken into it.
  var carriers: [Outbox.OperationID: Outbox.OperationID] = [:]
  var dropped: Set<Outbox.OperationID> = []
  var discarded: Set<Outbox.OperationID> = []
  /// The dead letters of which later writes that the server did have replaced something.
  var replaced: Set<Outbox.OperationID> = []
  /// The operations that the server did, as far as their answers came.
  var accepted: [Outbox.Operation] = []
  /// Operations that were dead letters once, or rebased: their order or changes may be
  /// others than they were.
  var revived: Set<Outbox.OperationID> = []
  var rebased: Set<Outbox.OperationID> = []
  /// Operations that the server did while its answer was lost: they may be dead letters, and
  /// done.
  var inDoubt: Set<Outbox.OperationID> = []
  /// Records that someone else has changed.
  var shared: Set<Document.RecordID> = []

  var batches: [OutboxBatch] = []
  var lateAnswers: [(batch: UInt64, answers: [Outbox.Answer])] = []
  var conflicts: [(Outbox.Operation, Outbox.ServerRecord)] = []
  var known: [Document.RecordID: String] = [:]

  init(seed: UInt64, isTracing: Bool = false) {
    if isTracing { trace = [] }
    random = SeededGenerator(seed: seed)
    var settings = Outbox.Settings()
    settings.batchSize = [1, 2, 3, 50].randomElement(using: &random) ?? 50
    settings.maximumRetries = 2
    machine = OutboxMachine(settings: settings)
  }

  mutating func say(_ what: @autoclosure () -> String) {
    if trace != nil { trace?.append(what()) }
  }

  func chance(_ percent: Int, _ random: inout SeededGenerator) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
}

extension OutboxWorld {
  /// Keeps values; a crash may cut those commits that are only answers.
  mutating func commit(_ effects: OutboxEffects, isDurable: Bool) throws {
    recent.append(effects.values)
    if isDurable {
      for commit in recent { Self.keep(commit, in: &durable) }
      recent = []
    }
    for action in effects.actions { try note(action) }
  }

  static func keep(_ values: [(key: String, value: [UInt8]?)], in kept: inout [String: [UInt8]]) {
    for (key, value) in values { kept[key] = value }
  }

  private mutating func note(_ action: OutboxAction) throws {
    switch action {
    case .coalesced(let id, let carrier):
      carriers[id] = carrier
      guard let account = queued[id], account.others.isEmpty else {
        throw Discrepancy(description: "\(id) was taken into another")
      }
      for (path, value) in account.values { queued[carrier]?.values[path] = value }
    case .accepted(let operation, let version):
      accepted.append(operation)
      if let version { known[operation.record] = version }
    case .rebase(let operation, let server):
      known[operation.record] = server.version
      conflicts.append((operation, server))
    case .deadLettered(let operation):
      revived.insert(operation.id)
      try check(operation.changes, of: operation.id, "a dead letter")
    case .superseded(let lost):
      if rebased.contains(lost.id) { return }
      for change in lost.changes where !isReplaced(change, of: lost.id) {
        throw Discrepancy(description: "\(change) of \(lost.id) lost to nothing")
      }
      replaced.insert(lost.id)
      dropped.insert(lost.id)
    case .retried, .discarded, .backlog, .credentialsNeeded: break
    }
  }

  /// Whether the server did something that replaces a change.
  private func isReplaced(_ change: Document.FieldChange, of id: Outbox.OperationID) -> Bool {
    accepted.contains { effect in
      effect.record == id.record && effect.id.dot.counter > id.dot.counter
        && effect.changes.contains { other in
          other.isAssignment
            ? change.path.names.starts(with: other.path.names)
            : !change.isAssignment && other.path == change.path
        }
    }
  }

  /// Throws unless the changes are those that were queued.
  func check(_ changes: [Document.FieldChange], of id: Outbox.OperationID, _ what: String) throws {
    guard let account = queued[id] else {
      throw Discrepancy(description: "\(what) that was never queued: \(id)")
    }
    let found = Account(changes)
    let isPart =
      replaced.contains(id) && found.others.allSatisfy(account.others.contains)
      && found.values.allSatisfy { account.values[$0.key] == $0.value }
    guard rebased.contains(id) || found == account || isPart else {
      throw Discrepancy(description: "\(what) has \(changes), not \(account): \(id)")
    }
  }
}
