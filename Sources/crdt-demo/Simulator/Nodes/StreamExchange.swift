import CRDTKit

/// A request of a session with a neighbour, by the neighbour's index.
typealias StreamAction<Value: WorldValue> = PeerGroup<Value, Int>.Action

/// The sessions of a ``StreamNode`` with its neighbours.
protocol StreamExchange {
  associatedtype Value: WorldValue

  /// An exchange without connections.
  static func begun(by replica: ReplicaID, limits: SyncLimits) -> Self

  /// Whether one group has all neighbours, rather than a session for each.
  static var isGroup: Bool { get }

  /// The connected neighbours.
  var connectedPeers: [Int] { get }

  /// The version that a neighbour has reported.
  func peerVersion(of neighbour: Int) -> VersionVector

  func isSynchronized(_ value: Value, with neighbour: Int) -> Bool

  /// Records that the value was edited.
  mutating func noteEdit()

  /// Sends new changes, in a group to all neighbours.
  mutating func flush(_ value: Value, to neighbour: Int) -> [StreamAction<Value>]

  mutating func connect(_ value: Value, to neighbour: Int) -> [StreamAction<Value>]

  mutating func disconnect(_ neighbour: Int) -> [StreamAction<Value>]

  mutating func receive(
    _ bytes: [UInt8], from neighbour: Int, into value: inout Value,
    accepting check: (TableDelta<Value>) throws -> Void
  ) -> [StreamAction<Value>]

  /// Continues under another identifier, on the same streams.
  mutating func continueAs(_ replica: ReplicaID)
}

extension PeerGroup: StreamExchange where Value: WorldValue, Peer == Int {
  static func begun(by replica: ReplicaID, limits: SyncLimits) -> Self {
    Self(replica: replica, limits: limits)
  }

  static var isGroup: Bool { true }

  func peerVersion(of neighbour: Int) -> VersionVector { self[neighbour]?.peerVersion ?? [:] }

  func isSynchronized(_ value: Value, with neighbour: Int) -> Bool {
    self[neighbour]?.isSynchronized(value) ?? true
  }

  mutating func noteEdit() {}

  mutating func flush(_ value: Value, to neighbour: Int) -> [StreamAction<Value>] { flush(value) }

  mutating func continueAs(_ replica: ReplicaID) {}
}

/// A peer session for each neighbour.
struct SessionExchange<Value: WorldValue>: StreamExchange {
  private var fresh: PeerSession<Value>
  private var sessions: [Int: PeerSession<Value>] = [:]
  /// The neighbours whose sessions have not received all changes.
  private var due: Set<Int> = []

  static func begun(by replica: ReplicaID, limits: SyncLimits) -> Self {
    Self(fresh: PeerSession(replica: replica, limits: limits))
  }

  private init(fresh: PeerSession<Value>) { self.fresh = fresh }

  static var isGroup: Bool { false }

  var connectedPeers: [Int] { sessions.filter(\.value.isConnected).keys.sorted() }

  func peerVersion(of neighbour: Int) -> VersionVector { sessions[neighbour]?.peerVersion ?? [:] }

  func isSynchronized(_ value: Value, with neighbour: Int) -> Bool {
    sessions[neighbour]?.isSynchronized(value) ?? true
  }

  mutating func noteEdit() { due.formUnion(sessions.keys) }

  mutating func flush(_ value: Value, to neighbour: Int) -> [StreamAction<Value>] {
    guard due.remove(neighbour) != nil else { return [] }
    return actions(sessions[neighbour]?.flush(value), of: neighbour)
  }

  mutating func connect(_ value: Value, to neighbour: Int) -> [StreamAction<Value>] {
    due.insert(neighbour)
    return actions(sessions[neighbour, default: fresh].connect(value), of: neighbour)
  }

  mutating func disconnect(_ neighbour: Int) -> [StreamAction<Value>] {
    sessions[neighbour]?.disconnect()
    return []
  }

  mutating func receive(
    _ bytes: [UInt8], from neighbour: Int, into value: inout Value,
    accepting check: (TableDelta<Value>) throws -> Void
  ) -> [StreamAction<Value>] {
    actions(sessions[neighbour]?.receive(bytes, into: &value, accepting: check), of: neighbour)
  }

  mutating func continueAs(_ replica: ReplicaID) {
    fresh.replica = replica
    for neighbour in sessions.keys { sessions[neighbour]?.replica = replica }
  }

  /// The requests of a session; what it has learned is for the others.
  private mutating func actions(
    _ actions: [PeerSession<Value>.Action]?, of neighbour: Int
  ) -> [StreamAction<Value>] {
    (actions ?? []).map { action in
      switch action {
      case .send(let bytes): return .send(bytes, to: neighbour)
      case .learned(let delta):
        due.formUnion(sessions.keys.filter { $0 != neighbour })
        return .learned(delta, from: neighbour)
      case .takeNewReplica: return .takeNewReplica
      case .close(let failure): return .close(neighbour, failure)
      }
    }
  }
}

extension SyncFailure {
  /// Whether a stream that was damaged in transit can be the cause.
  ///
  /// Between correct replicas there must be no other cause.
  var isDamage: Bool {
    if case .endedByPeer(let kind) = self { kind.isDamage } else { kind.isDamage }
  }

  /// Whether the cause is one name used by two replicas, which another connection may
  /// repair.
  var isOfFork: Bool {
    let kind = if case .endedByPeer(let kind) = self { kind } else { kind }
    return kind == .fork || kind == .differentContents
  }
}

extension SyncFailure.Kind {
  /// Misplaced bytes can look like an oversized frame, or like an invalid one.
  fileprivate var isDamage: Bool {
    [.damaged, .notAPeer, .violation].contains(self)
  }
}
