import CRDTKit

/// A node's sessions, one a neighbour, on links that lose nothing: what is exchanged
/// is counted.
struct SessionLinks<Value: TableBacked> {
  private let neighbours: [Int]
  private var sessions: [PeerSession<Value>]

  init(replica: ReplicaID, neighbours: [Int]) {
    self.neighbours = neighbours
    sessions = neighbours.map { _ in PeerSession(replica: replica) }
  }

  /// Greets all neighbours.
  mutating func connect(_ value: Value, _ outbox: inout Outbox<SessionFrame>) {
    for place in sessions.indices {
      send(sessions[place].connect(value), of: nil, to: neighbours[place], &outbox)
    }
  }

  /// Sends each neighbour what it isn't known to have.
  mutating func flush(_ value: Value, _ outbox: inout Outbox<SessionFrame>) {
    for place in sessions.indices {
      var made: TableDelta<Value>?
      let actions = sessions[place].flush(value) { value, version in
        let delta = value.delta(since: version)
        made = delta
        return delta
      }
      send(actions, of: made, to: neighbours[place], &outbox)
    }
  }

  /// Takes in a frame, and gives what was new in it.
  mutating func receive(
    _ frame: SessionFrame, from node: Int, into value: inout Value,
    _ outbox: inout Outbox<SessionFrame>
  ) -> [TableDelta<Value>] {
    guard let place = neighbours.firstIndex(of: node) else { return [] }
    var made: TableDelta<Value>?
    let actions = sessions[place].receive(
      frame.bytes, into: &value, accepting: { _ in },
      deltaSince: { value, version in
        let delta = value.delta(since: version)
        made = delta
        return delta
      })
    send(actions, of: made, to: node, &outbox)
    return actions.compactMap { action in
      if case .learned(let delta) = action { delta } else { nil }
    }
  }

  /// How many entries of versions are kept for the neighbours.
  var versionEntryCount: Int { sessions.reduce(0) { $0 + $1.peerVersion.count } }

  /// Sends what a session asks for; a delta that was made for it is counted with the
  /// first frame, though an answer may come before it.
  private func send(
    _ actions: [PeerSession<Value>.Action], of delta: TableDelta<Value>?, to target: Int,
    _ outbox: inout Outbox<SessionFrame>
  ) {
    var uncounted = delta
    for action in actions {
      guard case .send(let bytes) = action else { continue }
      var frame = SessionFrame(bytes: bytes)
      if let delta = uncounted {
        frame.elements = delta.changes.columns.reduce(0) { $0 + $1.rowCount }
        frame.metadata += delta.base.count + delta.version.count
        uncounted = nil
      }
      outbox.send(frame, to: target)
    }
  }
}
