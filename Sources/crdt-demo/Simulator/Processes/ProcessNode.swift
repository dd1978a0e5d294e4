import CRDTStoreTesting

/// A node of a ``World`` that is a process on a pipe.
///
/// Calls of the node wait until its process gets its next order. The process's answers are
/// sent as the node's messages.
struct ProcessNode: WorldNode {
  typealias Message = [UInt8]

  /// The greatest size of a message of a stream in bytes.
  private static let chunkMax = 1_024

  /// The indices of its neighbours, ascending.
  let neighbours: [Int]
  /// The messages for the process's next order.
  private(set) var inbox: [LinkMessage] = []
  /// The number of the last connection to each neighbour.
  private var connections: [Int]
  private var isConnected: [Bool]
  /// Draws the positions at which streams are cut into messages.
  private var generator: SeededGenerator
  private(set) var bytesSent = 0
  /// The document state that the process last reported.
  var state: ReplicaState?

  init(place: Int, neighbours: [Int], seed: UInt64) {
    self.neighbours = neighbours
    connections = neighbours.map { _ in 0 }
    isConnected = neighbours.map { _ in false }
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 60)
  }

  /// Takes the messages for the process.
  mutating func takeInbox() -> [LinkMessage] {
    defer { inbox = [] }
    return inbox
  }

  /// Sends the process's messages; those about an earlier connection are dropped.
  mutating func send(_ messages: [LinkMessage], _ context: inout WorldContext<[UInt8]>) {
    for message in messages {
      guard let neighbour = neighbours.firstIndex(of: message.peer), isConnected[neighbour],
        message.connection == connections[neighbour]
      else { continue }
      switch message.content {
      case .opened: break
      case .bytes(let bytes):
        bytesSent += bytes.count
        context.send(bytes, to: neighbour, inPiecesOf: Self.chunkMax, using: &generator)
      case .ended: context.hangUp(neighbour)
      }
    }
  }

  private mutating func tell(_ content: LinkMessage.Content, of neighbour: Int) {
    inbox.append(
      LinkMessage(
        peer: neighbours[neighbour], connection: connections[neighbour], content: content))
  }
}

extension ProcessNode {
  mutating func connect(to neighbour: Int, _ context: inout WorldContext<[UInt8]>) {
    connections[neighbour] += 1
    isConnected[neighbour] = true
    tell(.opened, of: neighbour)
  }

  mutating func disconnect(from neighbour: Int) {
    guard isConnected[neighbour] else { return }
    isConnected[neighbour] = false
    // Undelivered messages are lost with the connection.
    let peer = neighbours[neighbour]
    inbox.removeAll { message in
      if message.peer == peer, case .bytes = message.content { true } else { false }
    }
    tell(.ended, of: neighbour)
  }

  mutating func receive(
    _ message: [UInt8], from neighbour: Int, _ context: inout WorldContext<[UInt8]>
  ) {
    tell(.bytes(message), of: neighbour)
  }

  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    inbox = []
    for neighbour in isConnected.indices { isConnected[neighbour] = false }
  }

  /// Processes make edits and send messages only on order.
  mutating func edit(_ number: UInt64, _ context: inout WorldContext<[UInt8]>) {}
  mutating func tick(_ context: inout WorldContext<[UInt8]>) {}

  var traceDigest: String? { state?.digest }
  var traceValue: String? { state?.value }
}
