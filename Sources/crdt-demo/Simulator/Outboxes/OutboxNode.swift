import CRDTStore

/// A node of a ``World`` of apps and their server.
struct OutboxNode: WorldNode {
  typealias Message = OutboxMessage
  typealias Context = WorldContext<OutboxMessage>

  /// One of the two is there.
  var app: OutboxApp?
  var server: OutboxServer?

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    app?.edit(number, &context)
    server?.edit(number, &context)
  }

  mutating func tick(_ context: inout Context) { app?.tick(&context) }

  mutating func receive(
    _ message: OutboxMessage, from neighbour: Int, _ context: inout Context
  ) {
    app?.receive(message, &context)
    server?.receive(message, from: neighbour, &context)
  }

  mutating func connect(to neighbour: Int, _ context: inout Context) { app?.connect() }

  mutating func disconnect(from neighbour: Int) { app?.disconnect() }

  mutating func crash(_ kind: CrashKind, draw: UInt64) { app?.crash(kind, draw: draw) }

  /// Stops all faults.
  mutating func heal() {
    app?.isHealing = true
    server?.heal()
  }

  var traceDigest: String? { summary.digest }

  var traceValue: String? { summary.text }

  private var summary: (digest: String, text: String) {
    app?.summary ?? server?.summary ?? ("", "")
  }
}

/// A message between apps and a server of a ``World``.
enum OutboxMessage: WorldMessage {
  /// The call of an app that something belongs to.
  struct Call: Hashable, Sendable {
    /// The number of starts of the app.
    var start: Int
    var number: Int
  }

  case push(Call, [Outbox.Envelope])
  case pull(Call, Outbox.PullRequest)
  case answers(Call, [Outbox.Answer])
  case page(Call, Outbox.PullPage)
  case failure(Call, RemoteError)

  /// About as much as the JSON of it.
  var byteCount: Int {
    switch self {
    case .push(_, let operations): 100 + 300 * operations.count
    case .pull, .failure: 200
    case .answers(_, let answers): 100 + 100 * answers.count
    case .page(_, let page): 200 + 200 * page.records.count
    }
  }
}
