/// What a node of a ``World`` is told when it is called, and what it answers.
///
/// Neighbours are named by their place in the node's own list, from 0, in ascending
/// order of their places in the world.
struct WorldContext<Message: WorldMessage> {
  /// A message for a neighbour.
  struct Letter {
    var neighbour: Int
    var message: Message
    /// How many events it brings, where the node says so; for traces.
    var events: Int
  }

  /// Microseconds of virtual time since the beginning.
  var now: UInt64 = 0
  /// What the node's own clock shows, in milliseconds; it may be wrong.
  var wallMilliseconds: UInt64 = 0
  /// The number of the edit that is made, from 1.
  var serial = 0
  /// How many milliseconds its clock is ahead for this call alone.
  var aheadMilliseconds: Int64 = 0
  /// The node's place in the world.
  var place = 0
  /// How many neighbours the node has.
  var neighbourCount = 0
  /// What is to be sent, in this order.
  var letters: [Letter] = []
  /// Neighbours to which the connection is to be broken off.
  var hangUps: [Int] = []
  /// How many events the node has taken in that are new to it.
  var learned = 0
  /// Whether the node dies here: it has set itself to what a crash leaves of it.
  var dies = false

  /// Sends a message to a neighbour; it is lost if there is no connection.
  mutating func send(_ message: Message, to neighbour: Int, events: Int = 0) {
    letters.append(Letter(neighbour: neighbour, message: message, events: events))
  }

  /// Sends a message to all neighbours, but for one.
  mutating func sendToAll(_ message: Message, but one: Int = -1, events: Int = 0) {
    for neighbour in 0..<neighbourCount where neighbour != one {
      send(message, to: neighbour, events: events)
    }
  }

  /// Breaks off the connection to a neighbour; there will be another.
  mutating func hangUp(_ neighbour: Int) {
    hangUps.append(neighbour)
  }
}

extension WorldContext<[UInt8]> {
  /// Sends bytes in pieces, cut at any place, of so many bytes at most; with 0, in one.
  mutating func send(
    _ bytes: [UInt8], to neighbour: Int, inPiecesOf pieceMax: Int,
    using generator: inout SplitMix64
  ) {
    guard !bytes.isEmpty else { return }
    guard pieceMax > 0 else { return send(bytes, to: neighbour) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(1 + generator.below(pieceMax)))
      rest = rest.dropFirst(piece.count)
      send(piece, to: neighbour)
    }
  }
}

/// What travels on the links of a ``World``.
protocol WorldMessage {
  /// How many bytes it takes on the wire: a link of bounded bandwidth goes by it.
  var byteCount: Int { get }

  /// Flips a bit of it; false where whoever gets it would notice and throw it away,
  /// so that it is as good as lost.
  mutating func corrupt(_ draw: UInt64) -> Bool
}

extension WorldMessage {
  var byteCount: Int { 0 }

  mutating func corrupt(_ draw: UInt64) -> Bool { false }
}

extension [UInt8]: WorldMessage {
  var byteCount: Int { count }

  mutating func corrupt(_ draw: UInt64) -> Bool {
    guard !isEmpty else { return false }
    let bit = Int(draw % UInt64(count * 8))
    self[bit / 8] ^= 1 << (bit % 8)
    return true
  }
}

/// Something that is done to a ``World``.
enum WorldAction: Equatable, Sendable {
  /// Links between nodes of different groups have no connection from now on; who is
  /// in no group is in one with all others that aren't.
  case partition([[Int]])
  /// Ends the partition that was begun with these groups.
  case heal([[Int]])
  /// The link between two nodes breaks; there is a connection again so many
  /// microseconds later.
  case cut(Int, Int, UInt64)
  /// A node goes down; the number says what of it is left.
  case crash(Int, CrashKind, draw: UInt64)
  case restart(Int)
  /// The others notice that a node has gone down.
  case collapse(Int)
  /// A node that was away from the beginning comes.
  case join(Int)
  /// A node that was away from the beginning comes, as a copy of another.
  case copy(Int, to: Int, draw: UInt64)
  /// A node leaves for good.
  case leave(Int)
  /// A node is stopped where it is, until it goes on.
  case pause(Int)
  case resume(Int)
  /// A node's clock jumps by so many milliseconds.
  case jump(Int, Int64)
  /// From now on the links are like this.
  case conditions(LinkConditions)
}

/// A replica in a ``World``: a state machine that the world's scheduler calls.
///
/// It reads no clock, draws no random numbers but from what it was made with, and
/// does nothing but change itself and write letters.
protocol WorldNode {
  associatedtype Message: WorldMessage

  /// Makes the change that a number stands for.
  mutating func edit(_ number: UInt64, _ context: inout WorldContext<Message>)

  /// Does what is to be done now and then: it is called once an interval.
  mutating func tick(_ context: inout WorldContext<Message>)

  /// Takes in what a neighbour has sent.
  mutating func receive(
    _ message: Message, from neighbour: Int, _ context: inout WorldContext<Message>)

  /// Learns that there is a connection to a neighbour.
  mutating func connect(to neighbour: Int, _ context: inout WorldContext<Message>)

  /// Learns that the connection to a neighbour is no more.
  mutating func disconnect(from neighbour: Int)

  /// Becomes what is left of it after a crash.
  mutating func crash(_ kind: CrashKind, draw: UInt64)

  /// Becomes a copy of another, which goes on, too, under the same name.
  mutating func become(copyOf other: Self, draw: UInt64)

  /// A short digest of the state: equal digests are equal states. For traces.
  var traceDigest: String? { get }

  /// What the value reads as, short. For traces.
  var traceValue: String? { get }
}

extension WorldNode {
  mutating func connect(to neighbour: Int, _ context: inout WorldContext<Message>) {}

  mutating func disconnect(from neighbour: Int) {}

  mutating func crash(_ kind: CrashKind, draw: UInt64) {}

  mutating func become(copyOf other: Self, draw: UInt64) {}

  var traceDigest: String? { nil }

  var traceValue: String? { nil }
}

/// How a replica of a ``World`` goes down.
enum CrashKind: String, CaseIterable, Sendable {
  /// What it had made durable is there when it starts again.
  case crash
  /// An edit is made and lost with the crash: it was not durable yet, and nobody
  /// was told of it.
  case torn
  /// It starts again from an older copy, under a new replica identifier.
  case restore
  /// It starts again from an older copy that was put in its place, under the identifier
  /// that it had: of a store's folder in one of the ways that people do that.
  case inPlace = "in-place"
}
