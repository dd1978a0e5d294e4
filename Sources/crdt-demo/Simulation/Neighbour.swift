import CRDTKit

/// A neighbour of a replica: the session with it, and the stream to it if there
/// is one.
///
/// It keeps what is to be told to the coordinator until that is taken.
struct Neighbour {
  /// Frames so short that a damaged stream has mostly brought some whole before.
  private static let limits = SyncLimits(frameBytesMax: 1 << 10, windowBytes: 1 << 16)
  /// How many rounds nothing may come of a neighbour that owes an answer: what is
  /// under way takes less.
  private static let silenceMax = 2 * FaultyStream.delayMax + 2

  /// Its place among the replicas.
  let place: Int
  private var session: PeerSession<Document>
  private var connection: Int?
  private var silence = 0
  private var unsent: [LinkMessage] = []
  /// Whether the link brings all bytes, whole and in order.
  var isReliable = false

  init(place: Int, replica: ReplicaID) {
    self.place = place
    session = PeerSession(replica: replica, limits: Self.limits)
  }

  /// Starts over as another replica: a fault for tests.
  mutating func impersonate(_ replica: ReplicaID) {
    session = PeerSession(replica: replica, limits: Self.limits)
    hangUp()
  }

  /// Takes in what the coordinator says of the stream.
  mutating func take(
    _ message: LinkMessage, into document: inout Document, clock: inout SkewedClock,
    counting counts: inout ReplicaCounts
  ) throws {
    switch message.content {
    case .opened:
      connection = message.connection
      silence = 0
      counts.connections += 1
      try perform(session.connect(document), counting: &counts)
    case .bytes(let bytes):
      guard connection == message.connection else { return }
      silence = 0
      counts.bytesReceived += bytes.count
      let actions = session.receive(bytes, into: &document) { try clock.receive($0) }
      try perform(actions, counting: &counts)
    case .ended:
      guard connection == message.connection else { return }
      session.disconnect()
      connection = nil
    }
  }

  /// Sends what is new, and gives up a stream of which nothing has come for long.
  mutating func flush(_ document: Document, counting counts: inout ReplicaCounts) throws {
    guard connection != nil else { return }
    try perform(session.flush(document), counting: &counts)
    silence = session.isSynchronized(document) ? 0 : silence + 1
    if silence > Self.silenceMax, !isReliable {
      counts.streamsStalled += 1
      session.disconnect()
      hangUp()
    }
  }

  /// Takes out what is to be told to the coordinator.
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
        counts.framesSent += 1
        counts.bytesSent += bytes.count
        write(bytes)
      case .learned:
        counts.deltasLearned += 1
      case .takeNewReplica:
        throw Trouble(
          "others have seen more of replica \(session.replica) than it has written itself")
      case .close(let failure):
        guard !isReliable, failure.isDamage else { throw Trouble("\(failure)") }
        counts.streamsDamaged += 1
        hangUp()
      }
    }
  }

  /// Lets bytes go out together with those before.
  private mutating func write(_ bytes: [UInt8]) {
    guard let connection else { return }
    if let last = unsent.indices.last, unsent[last].connection == connection,
      case .bytes(var written) = unsent[last].content
    {
      // Moved out meanwhile, so that it grows in place.
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
