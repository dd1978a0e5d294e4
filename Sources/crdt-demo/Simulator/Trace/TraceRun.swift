/// What a trace says about a run, all in all.
struct TraceRun {
  /// What a replica did, and what it held in the end.
  struct Replica: Equatable {
    var edits = 0
    var sent = 0
    var received = 0
    var lost = 0
    var bytesSent = 0
    var bytesReceived = 0
    var crashes = 0
    /// The last digest that the trace has of it.
    var digest: String?
    /// The last value, and who wrote it if it is a text.
    var value: String?
    var authors: String?
    /// Whether it takes part in the end.
    var isPresent = true
  }

  /// In the order of their times.
  let events: [TraceEvent]
  /// How many events are not there, since there were too many.
  let omitted: Int
  private(set) var replicas: [Replica] = []
  /// What all replicas did.
  private(set) var total = Replica()
  /// How often each kind occurs.
  private(set) var counts: [TraceEvent.Kind: Int] = [:]
  private(set) var title = "A simulation"
  /// The command that does it again.
  private(set) var command: String?
  /// How it ended.
  private(set) var verdict: String?
  /// What laws were broken, the first of them.
  private(set) var violations: [String] = []
  /// The time of the last event.
  let end: UInt64

  /// How many violations are told in words.
  private static let violationsMax = 20

  init(_ events: [TraceEvent], omitted: Int = 0) {
    let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
    self.events = isSorted ? events : Self.sorted(events)
    self.omitted = omitted
    end = self.events.last?.time ?? 0
    let places = events.lazy.flatMap { [$0.replica, $0.peer] }.compactMap { $0 }
    let count = min((places.max() ?? -1) + 1, TraceEvent.maximumReplicas)
    replicas = Array(repeating: Replica(), count: count)
    for event in self.events { take(event) }
    for replica in replicas { total += replica }
  }

  /// Events of one time stay as they are.
  private static func sorted(_ events: [TraceEvent]) -> [TraceEvent] {
    events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private mutating func take(_ event: TraceEvent) {
    counts[event.kind, default: 0] += 1
    switch event.kind {
    case .begin:
      title = event.value ?? title
      command = event.detail
    case .end: verdict = event.detail ?? event.value
    case .violation where violations.count < Self.violationsMax:
      violations.append(event.detail ?? event.value ?? event.sentence)
    default: break
    }
    guard let place = event.replica, replicas.indices.contains(place) else { return }
    replicas[place].take(event)
  }
}

extension TraceRun.Replica: Tally {
  static var fields: [WritableKeyPath<Self, Int>] {
    [\.edits, \.sent, \.received, \.lost, \.bytesSent, \.bytesReceived, \.crashes]
  }

  fileprivate mutating func take(_ event: TraceEvent) {
    let bytes = event.bytes ?? 0
    switch event.kind {
    case .edit: edits += event.events ?? 1
    case .send: (sent, bytesSent) = (sent + 1, bytesSent + bytes)
    case .receive: (received, bytesReceived) = (received + 1, bytesReceived + bytes)
    case .lose: lost += 1
    case .crash: crashes += 1
    case .join: isPresent = true
    case .leave: isPresent = false
    default: break
    }
    digest = event.digest ?? digest
    if let newValue = event.value { (value, authors) = (newValue, event.authors) }
  }
}
