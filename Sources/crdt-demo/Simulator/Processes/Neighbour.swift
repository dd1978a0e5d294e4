import CRDTKit
import CRDTStore
import Toolkit

/// A neighbour of a replica, with its session and its stream, if there is one.
///
/// It queues messages for the coordinator until you take them.
struct Neighbour {
  /// Frames are short, so that a damaged stream has usually delivered some complete ones
  /// before.
  private static let limits = SyncLimits(maximumFrameBytes: 1 << 10, windowBytes: 1 << 16)

  /// Its index among the replicas.
  let place: Int
  private var session: PeerSession<Document>
  /// The session where the document is in a store.
  private let storeSession: Store.Session?
  private var connection: Int?
  private var silence = 0
  /// How many rounds a neighbour that owes an answer may be silent.
  ///
  /// Messages in flight take less.
  private let silenceMax: Int
  private var unsent: [LinkMessage] = []
  /// Whether the link delivers all bytes, undamaged and in order.
  var isReliable = false

  init(
    place: Int, replica: ReplicaID, silenceMax: Int,
    store: Store? = nil
  ) {
    self.place = place
    self.silenceMax = silenceMax
    session = PeerSession(replica: replica, limits: Self.limits)
    storeSession = store?.session(limits: Self.limits)
  }

  /// Restarts as another replica: a fault for tests.
  mutating func impersonate(_ replica: ReplicaID) {
    session = PeerSession(replica: replica, limits: Self.limits)
    hangUp()
  }

  /// Processes the coordinator's messages about the stream; a session of a store leaves the
  /// document to it.
  mutating func take(
    _ message: LinkMessage, into document: inout Document, clock: inout ReplicaClock,
    counting counts: inout ReplicaCounts
  ) throws {
    switch message.content {
    case .opened:
      open(message.connection, counting: &counts)
      guard let storeSession else {
        return try perform(session.connect(document), counting: &counts)
      }
      try perform(try storeSession.connect(), counting: &counts)
    case .bytes(let bytes):
      guard isExpected(bytes, of: message.connection, counting: &counts) else { return }
      guard let storeSession else {
        let actions = session.receive(bytes, into: &document) { try clock.receive($0) }
        return try perform(actions, counting: &counts)
      }
      // Each delta that the session applies is a commit.
      let before = storeSession.store.statistics.commits
      try perform(try storeSession.receive(bytes), counting: &counts)
      counts.deltasLearned += Int(storeSession.store.statistics.commits - before)
    case .ended:
      guard connection == message.connection else { return }
      disconnect()
      connection = nil
    }
  }

  private mutating func disconnect() {
    storeSession?.disconnect()
    session.disconnect()
  }

  /// Sends new changes, and closes a stream that was silent for too long.
  mutating func flush(_ document: Document, counting counts: inout ReplicaCounts) throws {
    guard connection != nil else { return }
    if let storeSession {
      try perform(try storeSession.flush(), counting: &counts)
    } else {
      try perform(session.flush(document), counting: &counts)
    }
    let isSynchronized = storeSession?.isSynchronized ?? session.isSynchronized(document)
    if isStalled(isSynchronized, counting: &counts) {
      disconnect()
      hangUp()
    }
  }

  private mutating func open(_ connection: Int, counting counts: inout ReplicaCounts) {
    self.connection = connection
    silence = 0
    counts.connections += 1
  }

  /// Whether bytes belong to the current stream.
  private mutating func isExpected(
    _ bytes: [UInt8], of connection: Int, counting counts: inout ReplicaCounts
  ) -> Bool {
    guard self.connection == connection else { return false }
    silence = 0
    counts.bytesReceived += bytes.count
    return true
  }

  /// Whether a neighbour that owes an answer was silent for too long.
  private mutating func isStalled(
    _ isSynchronized: Bool, counting counts: inout ReplicaCounts
  ) -> Bool {
    silence = isSynchronized ? 0 : silence + 1
    guard silence > silenceMax, !isReliable else { return false }
    counts.streamsStalled += 1
    return true
  }

  /// Takes the queued messages for the coordinator.
  mutating func takeMessages() -> [LinkMessage] {
    defer { unsent = [] }
    return unsent
  }

  private mutating func perform(
    _ actions: [PeerSession<Document>.Action], counting counts: inout ReplicaCounts
  ) throws {
    for action in actions {
      switch action {
      case .send(let bytes):
        send(bytes, counting: &counts)
      case .learned:
        counts.deltasLearned += 1
      case .takeNewReplica:
        throw CommandFailure(
          "others have seen more of replica \(session.replica) than it has written itself, or "
            + "write as it too")
      case .close(let failure):
        try close(failure, counting: &counts)
      }
    }
  }

  private mutating func perform(
    _ actions: [Store.Session.Action], counting counts: inout ReplicaCounts
  ) throws {
    for action in actions {
      switch action {
      case .send(let bytes): send(bytes, counting: &counts)
      case .close(let failure): try close(failure, counting: &counts)
      }
    }
  }

  private mutating func send(_ bytes: [UInt8], counting counts: inout ReplicaCounts) {
    counts.framesSent += 1
    counts.bytesSent += bytes.count
    write(bytes)
  }

  private mutating func close(
    _ failure: SyncFailure, counting counts: inout ReplicaCounts
  ) throws {
    guard !isReliable, failure.isDamage else { throw CommandFailure("\(failure)") }
    counts.streamsDamaged += 1
    hangUp()
  }

  /// Queues bytes after the earlier ones.
  private mutating func write(_ bytes: [UInt8]) {
    guard let connection else { return }
    if let last = unsent.indices.last, unsent[last].connection == connection,
      case .bytes(var written) = unsent[last].content
    {
      // Moved out temporarily, so that it grows in place.
      unsent[last].content = .ended
      written += bytes
      unsent[last].content = .bytes(written)
    } else {
      tell(.bytes(bytes), of: connection)
    }
  }

  private mutating func hangUp() {
    guard let connection else { return }
    tell(.ended, of: connection)
    self.connection = nil
  }

  private mutating func tell(_ content: LinkMessage.Content, of connection: Int) {
    unsent.append(LinkMessage(peer: place, connection: connection, content: content))
  }
}
