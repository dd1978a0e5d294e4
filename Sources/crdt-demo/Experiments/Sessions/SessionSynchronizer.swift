import CRDTKit

/// A node with one of CRDTKit's values, and a session with each neighbour: real bytes,
/// encoded and decoded.
struct SessionSynchronizer<Content: ReplicatedContent>: Synchronizer {
  typealias Message = SessionFrame

  private let replica: ReplicaID
  private let neighbours: [Int]
  private var value = Content.makeValue()
  private var sessions: [PeerSession<Content.Value>]
  private let nodes: [ReplicaID: UInt64]

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Void) {
    let replica = Self.replica(node)
    self.replica = replica
    self.neighbours = neighbours
    sessions = neighbours.map { _ in PeerSession(replica: replica) }
    nodes = Dictionary(
      uniqueKeysWithValues: (0..<nodeCount).map { (Self.replica($0), UInt64($0)) })
  }

  private static func replica(_ node: Int) -> ReplicaID {
    ReplicaID(ExperimentMessageFormat.identifier(of: node))
  }

  mutating func start(_ outbox: inout Outbox<Message>) {
    for place in sessions.indices {
      send(sessions[place].connect(value), of: .none, to: neighbours[place], &outbox)
    }
  }

  mutating func update(_ update: ExperimentUpdate) {
    Content.apply(update, to: &value, by: replica)
  }

  mutating func synchronize(_ outbox: inout Outbox<Message>) {
    for place in sessions.indices {
      var news: TableDelta<Content.Value>?
      let actions = sessions[place].flush(value) { value, version in
        let delta = value.delta(since: version)
        news = delta
        return delta
      }
      send(actions, of: news, to: neighbours[place], &outbox)
    }
  }

  mutating func receive(_ message: Message, from node: Int, _ outbox: inout Outbox<Message>) {
    guard let place = neighbours.firstIndex(of: node) else { return }
    var news: TableDelta<Content.Value>?
    let actions = sessions[place].receive(
      message.bytes, into: &value, accepting: { _ in },
      deltaSince: { value, version in
        let delta = value.delta(since: version)
        news = delta
        return delta
      })
    send(actions, of: news, to: node, &outbox)
  }

  private func send(
    _ actions: [PeerSession<Content.Value>.Action], of delta: TableDelta<Content.Value>?,
    to target: Int, _ outbox: inout Outbox<Message>
  ) {
    var uncounted = delta
    for action in actions {
      guard case .send(let bytes) = action else { continue }
      var frame = SessionFrame(bytes: bytes)
      // Answers come before transfers, so a delta is counted in the wrong frame at
      // times; the sums are right.
      if let delta = uncounted {
        frame.elements = delta.changes.columns.reduce(0) { $0 + $1.rowCount }
        frame.metadata += delta.base.count + delta.version.count
        uncounted = nil
      }
      outbox.send(frame, to: target)
    }
  }

  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost {
    ExperimentCost(
      messages: 1, elements: message.elements, metadata: message.metadata,
      bytes: message.bytes.count)
  }

  var reading: [UInt64: UInt64] { Content.reading(of: value) { nodes[$0] ?? .max } }

  var held: Int {
    value.table.rowCount
      + sessions.reduce(value.version.count) { $0 + $1.peerVersion.count }
  }
}
