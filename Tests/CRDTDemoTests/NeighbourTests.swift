import CRDTKit
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("A replica's side of a link")
struct NeighbourTests {
  private static let silenceMax = 8

  /// A replica with one neighbour, and what it has counted.
  private struct Side {
    var neighbour: Neighbour
    var document = Document(schema: SharedDocument.schema)
    var clock: ReplicaClock
    var counts = ReplicaCounts()
    /// Those of its writes.
    var stamps: [HybridTimestamp] = []

    init(place: Int) {
      let replica = SharedDocument.replica(place)
      neighbour = Neighbour(
        place: 1 - place, replica: replica, silenceMax: NeighbourTests.silenceMax)
      clock = ReplicaClock(replica: replica, wallMilliseconds: UInt64(1_000 + 500 * place))
    }

    mutating func take(_ content: LinkMessage.Content, of connection: Int) throws {
      let message = LinkMessage(
        peer: neighbour.place, connection: connection, content: content)
      try neighbour.take(message, into: &document, clock: &clock, counting: &counts)
    }

    /// Takes in what the other has to say, for a connection of this side.
    mutating func take(_ messages: [LinkMessage]) throws {
      for message in messages { try take(message.content, of: message.connection) }
    }

    mutating func flush() throws -> [LinkMessage] {
      try neighbour.flush(document, counting: &counts)
      return neighbour.takeMessages()
    }

    mutating func write(_ title: Document.Value) {
      let stamp = clock.next()
      stamps.append(stamp)
      document.edit(at: stamp) { edit in
        edit.set("title", of: "n1", in: SharedDocument.notes, to: title)
      }
    }
  }

  private func pair() throws -> (Side, Side) {
    var (one, other) = (Side(place: 0), Side(place: 1))
    one.write("Moon")
    try one.take(.opened, of: 1)
    try other.take(.opened, of: 1)
    return (one, other)
  }

  /// Lets two talk until both have nothing more to say.
  private func talk(_ one: inout Side, _ other: inout Side) throws {
    for _ in 0..<6 {
      try other.take(one.flush())
      try one.take(other.flush())
    }
  }

  @Test("takes in what comes, and lets its clock pass the stamps of it first")
  func exchange() throws {
    var (one, other) = try pair()
    try talk(&one, &other)
    #expect(other.document == one.document)
    #expect(other.counts.deltasLearned == 1)
    #expect(other.counts.bytesReceived == one.counts.bytesSent)
    // Whichever clock is behind, each write is later than the one it replaces.
    other.write("Sun")
    try talk(&one, &other)
    one.write("Stars")
    try talk(&one, &other)
    #expect(one.document == other.document)
    let stamps = (one.stamps, other.stamps)
    #expect(stamps.0[0] < stamps.1[0] && stamps.1[0] < stamps.0[1])
  }

  @Test("throws away bytes of a connection that is over")
  func staleness() throws {
    var (one, other) = try pair()
    let early = try one.flush()
    try other.take(.ended, of: 1)
    try other.take(early)
    try other.take(.opened, of: 2)
    try other.take(early)
    try other.take(.ended, of: 1)
    #expect(other.counts.bytesReceived == 0 && other.counts.streamsDamaged == 0)
    try one.take(.opened, of: 2)
    try talk(&one, &other)
    #expect(other.document == one.document)
  }

  @Test("closes a stream that is damaged, and goes on with the next")
  func damage() throws {
    var (one, other) = try pair()
    var messages = try one.flush()
    guard case .bytes(var bytes) = messages[0].content else {
      Issue.record("nothing was sent")
      return
    }
    bytes[bytes.count - 1] ^= 1
    messages[0].content = .bytes(bytes)
    try other.take(messages)
    let answer = try other.flush()
    #expect(answer.last?.content == .ended)
    #expect(other.counts.streamsDamaged == 1)
    #expect(try other.flush() == [])
    try one.take(answer)
    for connection in [2, 3] {
      try one.take(.opened, of: connection)
      try other.take(.opened, of: connection)
    }
    try talk(&one, &other)
    #expect(other.document == one.document)
  }

  @Test("calls damage trouble where the link is to bring all bytes")
  func reliability() throws {
    var (_, other) = try pair()
    other.neighbour.isReliable = true
    #expect(throws: CommandFailure.self) { try other.take(.bytes([1, 2, 3, 4, 5]), of: 1) }
  }

  @Test("gives up a stream of which nothing comes, unless nothing is owed or lost")
  func silence() throws {
    var (one, other) = try pair()
    let rounds = Self.silenceMax
    for _ in 0..<rounds { #expect(try one.flush().allSatisfy { $0.content != .ended }) }
    #expect(try one.flush().map(\.content) == [.ended])
    #expect(one.counts.streamsStalled == 1)

    (one, other) = try pair()
    try talk(&one, &other)
    for _ in 0..<(2 * rounds) { #expect(try one.flush() == []) }
    one.write("Sun")
    one.neighbour.isReliable = true
    _ = try one.flush()
    for _ in 0..<(2 * rounds) { #expect(try one.flush() == []) }
    #expect(one.counts.streamsStalled == 0)
  }

  @Test("reports who goes by the same name")
  func fork() throws {
    var (one, other) = try pair()
    other.neighbour.impersonate(SharedDocument.replica(0))
    #expect(try other.flush().last?.content == .ended)
    try one.take(.opened, of: 2)
    try other.take(.opened, of: 2)
    let hello = try one.flush()
    let report = "others have seen more of replica 0000000000000001"
    let trouble = #expect(throws: CommandFailure.self) { try other.take(hello) }
    #expect(trouble?.description.hasPrefix(report) == true)
  }
}
