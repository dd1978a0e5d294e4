import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// The server of a ``World`` of apps, which knows nothing of replicas, forgets nothing, and
/// fails at times.
struct OutboxServer {
  typealias Context = WorldContext<OutboxMessage>

  private(set) var server = ReferenceServer()
  /// The changes by others since the list was last cleared.
  var log: [OutboxPromise] = []
  /// When each operation was done, in order.
  private(set) var times: [UInt64] = []
  private var failuresLeft = 0
  private let settings: NodeSettings
  private var number = 0

  init(settings: NodeSettings) {
    self.settings = settings
    server.now = WorldClock.beginning
    server.times = settings.keys % 4 == 0 ? .ofRecords : .ofFields
    for key in 0..<settings.keys {
      let name = OutboxNote.lasting(key)
      server.edit(
        OutboxNote.record(name),
        ["id": .string(name), "title": "", "likes": 0, "tags": .array([])])
    }
  }

  /// Makes a change by someone else, or changes the server's faults.
  mutating func edit(_ number: UInt64, _ context: inout Context) {
    server.now = context.wallMilliseconds
    let key = Int(number % UInt64(settings.keys))
    let (lasting, passing) = (OutboxNote.lasting(key), OutboxNote.passing(key))
    switch (number >> 40) % 8 {
    case 0, 1:
      let title = "server \(number >> 20)"
      server.edit(OutboxNote.record(lasting), ["title": .string(title)])
      log.append(
        OutboxPromise(dot: nil, name: lasting, title: title, milliseconds: server.now))
    case 2:
      guard case .int(let likes)? = server.record(OutboxNote.record(lasting))?.fields["likes"]
      else { return }
      server.edit(OutboxNote.record(lasting), ["likes": .int(likes + 100)])
      log.append(
        OutboxPromise(dot: nil, name: lasting, likes: 100, milliseconds: server.now))
    case 3:
      guard server.record(OutboxNote.record(passing))?.isDeleted == false else { return }
      server.edit(OutboxNote.record(passing), [:], isDeleted: true)
    case 4: server.rejectedFields["title"] = "no"
    case 5: server.rejectedFields = [:]
    case 6: server.delaysLeft[OutboxNote.record(lasting)] = 1 + Int((number >> 48) % 3)
    default: failuresLeft = 1 + Int((number >> 48) % 3)
    }
  }

  /// Stops the server's faults.
  mutating func heal() {
    server.rejectedFields = [:]
    server.delaysLeft = [:]
    failuresLeft = 0
  }

  mutating func receive(
    _ message: OutboxMessage, from neighbour: Int, _ context: inout Context
  ) {
    if settings.sabotage == .deaf { return }
    number += 1
    server.now = context.wallMilliseconds
    switch message {
    case .push(let call, let operations):
      if settings.sabotage == .forgetful { server.forgetOutcomes() }
      guard failuresLeft == 0 else {
        failuresLeft -= 1
        let error = RemoteError(
          number % 2 == 0 ? .serverRejected : .serverFailed, "it is in a mood")
        return context.send(.failure(call, error), to: neighbour)
      }
      let before = server.effects.count
      let answers = server.push(operations)
      context.learned += server.effects.count - before
      times += Array(repeating: server.now, count: server.effects.count - before)
      context.send(.answers(call, answers.map { lyingIfSabotaged($0) }), to: neighbour)
    case .pull(let call, let request):
      guard var page = server.pull(request) else {
        return context.send(.failure(call, RemoteError(.serverRejected)), to: neighbour)
      }
      page.records = page.records.map { lyingIfSabotaged($0) }
      context.send(.page(call, page), to: neighbour)
    case .answers, .page, .failure: break
    }
  }

  /// The server's records, as if all of them had changed just now.
  private func lyingIfSabotaged(_ record: Outbox.ServerRecord) -> Outbox.ServerRecord {
    guard settings.sabotage == .lateTimes else { return record }
    var record = record
    (record.modifiedMilliseconds, record.fieldMilliseconds) = (server.now, [:])
    return record
  }

  private func lyingIfSabotaged(_ answer: Outbox.Answer) -> Outbox.Answer {
    guard case .conflict(let record) = answer.outcome else { return answer }
    return Outbox.Answer(answer.id, .conflict(server: lyingIfSabotaged(record)))
  }

  /// What it has, as a digest and in words.
  var summary: (digest: String, text: String) {
    OutboxNote.summary(settings.keys) { fields(of: $0) }
  }

  /// The contents of a note; `nil` if there is none.
  func fields(of name: String) -> [String: Document.Value]? {
    let record = server.record(OutboxNote.record(name))
    return record?.isDeleted == false ? record?.fields : nil
  }
}
