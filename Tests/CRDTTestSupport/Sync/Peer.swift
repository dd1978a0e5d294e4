package import CRDTKit

/// One side of a ``Wire``: a value, its session and what a store would hold.
package struct Peer<Value: TableBacked> {
  package var value: Value
  package var session: PeerSession<Value>
  /// What a crash would leave: the edits, and what was reported as learned.
  package var durable: Value
  package var replica: ReplicaID
  /// Bytes that were sent and have not arrived.
  package var outbox: [UInt8] = []
  /// How many bytes were sent in all.
  package var sentCount = 0
  /// The most that one call has given to be sent.
  package var sentMax = 0
  package var learnedCount = 0
  package var replicaRequests = 0
  package var failure: SyncFailure?
  /// Makes the deltas that are sent, in place of the value.
  package var deltaSource: PeerSession<Value>.DeltaSource?
  /// Changes bytes on their way, given how many were sent before.
  package var tamper: ((inout [UInt8], Int) -> Void)?

  package init(_ value: Value, as replica: ReplicaID, limits: SyncLimits = .standard) {
    self.value = value
    self.replica = replica
    durable = value
    session = PeerSession(replica: replica, limits: limits)
  }
}

extension Peer {
  /// Does what the session asks for.
  package mutating func perform(_ actions: [PeerSession<Value>.Action]) {
    var sent = 0
    for action in actions {
      switch action {
      case .send(var bytes):
        tamper?(&bytes, sentCount + sent)
        outbox += bytes
        sent += bytes.count
      case .learned(let delta):
        learnedCount += 1
        _ = try? durable.apply(mending: delta)
      case .takeNewReplica:
        replicaRequests += 1
        replica = ReplicaID(Fingerprint.of(replica.rawValue))
        session.replica = replica
      case .close(let failure):
        self.failure = failure
      }
    }
    sentCount += sent
    sentMax = max(sentMax, sent)
  }

  package mutating func connect() {
    failure = nil
    outbox = []
    perform(session.connect(value))
  }

  package mutating func disconnect() {
    outbox = []
    session.disconnect()
  }

  package mutating func receive(_ bytes: [UInt8]) {
    guard let deltaSource else { return perform(session.receive(bytes, into: &value)) }
    perform(
      session.receive(bytes, into: &value, accepting: { _ in }, deltaSince: deltaSource))
  }

  package mutating func flush() {
    guard let deltaSource else { return perform(session.flush(value)) }
    perform(session.flush(value, deltaSince: deltaSource))
  }

  /// Makes a change that is durable at once.
  package mutating func edit(_ body: (inout Value, ReplicaID) -> Void) {
    body(&value, replica)
    durable = value
  }

  /// Starts over from what is durable, knowing nothing of former streams.
  package mutating func crash(limits: SyncLimits = .standard) {
    value = (try? durable.readBack()) ?? durable
    outbox = []
    session = PeerSession(replica: replica, limits: limits)
  }

  package var isSynchronized: Bool { session.isSynchronized(value) }
}
