/// A node of a ``World`` of apps and their server.
enum OutboxNode: WorldNode {
  case app(OutboxApp)
  case server(OutboxServer)

  typealias Message = OutboxMessage
  typealias Context = WorldContext<OutboxMessage>

  /// The app, where it is one; changes of nothing else are kept.
  var app: OutboxApp? {
    get { if case .app(let app) = self { app } else { nil } }
    set { if let newValue { self = .app(newValue) } }
  }

  /// The server, where it is that.
  var server: OutboxServer? {
    get { if case .server(let server) = self { server } else { nil } }
    set { if let newValue { self = .server(newValue) } }
  }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    app?.edit(number, &context)
    server?.edit(number)
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

  /// Lets all go well from now on.
  mutating func heal() {
    app?.isHealing = true
    server?.heal()
  }

  var traceDigest: String? { summary.digest }

  var traceValue: String? { summary.text }

  private var summary: (digest: String, text: String) {
    switch self {
    case .app(let app): app.summary
    case .server(let server): server.summary
    }
  }
}
