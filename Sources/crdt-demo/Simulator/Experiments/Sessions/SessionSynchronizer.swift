import CRDTKit

/// A node's group of sessions, on links that lose nothing: what is exchanged is counted.
struct SessionLinks<Value: TableBacked> {
  private let neighbours: [Int]
  private var group: PeerGroup<Value, Int>

  init(replica: ReplicaID, neighbours: [Int]) {
    self.neighbours = neighbours
    group = PeerGroup(replica: replica)
  }

  /// Greets all neighbours.
  mutating func connect(_ value: Value, _ box: inout MessageBox<SessionFrame>) {
    for neighbour in neighbours {
      send(group.connect(value, to: neighbour), of: [], &box)
    }
  }

  /// Sends the neighbours what is due.
  mutating func flush(_ value: Value, _ box: inout MessageBox<SessionFrame>) {
    var made: [TableDelta<Value>] = []
    let actions = group.flush(value) { value, version in
      let delta = value.delta(since: version)
      made.append(delta)
      return delta
    }
    send(actions, of: made, &box)
  }

  /// Takes in a frame, and gives what was new in it.
  mutating func receive(
    _ frame: SessionFrame, from node: Int, into value: inout Value,
    _ box: inout MessageBox<SessionFrame>
  ) -> [TableDelta<Value>] {
    var made: [TableDelta<Value>] = []
    let actions = group.receive(
      frame.bytes, from: node, into: &value, accepting: { _ in },
      deltaSince: { value, version in
        let delta = value.delta(since: version)
        made.append(delta)
        return delta
      })
    send(actions, of: made, &box)
    return actions.compactMap { action in
      if case .learned(let delta, _) = action { delta } else { nil }
    }
  }

  /// How many entries of versions are kept for the neighbours.
  var versionEntryCount: Int {
    neighbours.reduce(0) { $0 + (group[$1]?.peerVersion.count ?? 0) }
  }

  /// Sends what the group asks for; the deltas that were made for it are counted with
  /// the first frame.
  private func send(
    _ actions: [PeerGroup<Value, Int>.Action], of deltas: [TableDelta<Value>],
    _ box: inout MessageBox<SessionFrame>
  ) {
    var uncounted = deltas
    for action in actions {
      guard case .send(let bytes, let target) = action else { continue }
      var frame = SessionFrame(bytes: bytes)
      for delta in uncounted {
        frame.elements += delta.changes.columns.reduce(0) { $0 + $1.rowCount }
        frame.metadata += delta.base.count + delta.version.count
      }
      uncounted = []
      box.send(frame, to: target)
    }
  }
}

/// Bytes that one session sends to another, in one frame, with what was counted when
/// they were made.
struct SessionFrame: Sendable {
  var bytes: [UInt8]
  /// Rows of the delta of a transfer that begins with this frame, those that the
  /// receiver has too.
  var elements = 0
  /// One for the frame, and the entries of the two versions of a delta in it.
  var metadata = 1

  /// What the frame costs.
  var cost: ExperimentCost {
    ExperimentCost(messages: 1, elements: elements, metadata: metadata, bytes: bytes.count)
  }
}

/// A node with one of CRDTKit's values, and a session with each neighbour: real bytes,
/// encoded and decoded.
struct SessionSynchronizer<Content: ReplicatedContent>: Synchronizer {
  typealias Message = SessionFrame

  private let replica: ReplicaID
  private var value = Content.makeValue()
  private var links: SessionLinks<Content.Value>
  private let nodes: [ReplicaID: UInt64]

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Void) {
    replica = Self.replica(node)
    links = SessionLinks(replica: Self.replica(node), neighbours: neighbours)
    nodes = Dictionary(
      uniqueKeysWithValues: (0..<nodeCount).map { (Self.replica($0), UInt64($0)) })
  }

  private static func replica(_ node: Int) -> ReplicaID {
    ReplicaID(ExperimentMessageFormat.identifier(of: node))
  }

  mutating func start(_ box: inout MessageBox<Message>) {
    links.connect(value, &box)
  }

  mutating func update(_ update: ExperimentUpdate) {
    Content.apply(update, to: &value, by: replica)
  }

  mutating func synchronize(_ box: inout MessageBox<Message>) {
    links.flush(value, &box)
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    _ = links.receive(message, from: node, into: &value, &box)
  }

  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost {
    message.cost
  }

  var reading: [UInt64: UInt64] { Content.reading(of: value) { nodes[$0] ?? .max } }

  var held: Int { value._table.rowCount + value.version.count + links.versionEntryCount }
}
