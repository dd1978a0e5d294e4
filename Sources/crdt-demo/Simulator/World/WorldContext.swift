import CRDTKit
import CRDTStoreTesting

/// The input of a call of a ``World`` node, and its requests.
///
/// Neighbours are identified by their index in the node's own list, from 0, in ascending
/// order of their index in the world.
struct WorldContext<Message: WorldMessage> {
  /// A message for a neighbour.
  struct Letter {
    var neighbour: Int
    var message: Message
    /// The number of events it contains, if the node gives it; for traces.
    var events: Int
  }

  /// Microseconds of virtual time since the beginning.
  var now: UInt64 = 0
  /// The time of the node's own clock in milliseconds, which may be wrong.
  var wallMilliseconds: UInt64 = 0
  /// The number of the current edit, from 1.
  var serial = 0
  /// How many milliseconds its clock is ahead for this call only.
  var aheadMilliseconds: Int64 = 0
  /// The node's index in the world.
  var place = 0
  /// The number of neighbours.
  var neighbourCount = 0
  /// The messages to send, in order.
  var letters: [Letter] = []
  /// The neighbours to disconnect from.
  var hangUps: [Int] = []
  /// The number of new events that the node has applied.
  var learned = 0
  /// Whether the node crashes here: it has set its state to what a crash leaves.
  var dies = false

  /// Sends a message to a neighbour; it is lost if there is no connection.
  mutating func send(_ message: Message, to neighbour: Int, events: Int = 0) {
    letters.append(Letter(neighbour: neighbour, message: message, events: events))
  }

  /// Sends a message to all neighbours except one.
  mutating func sendToAll(_ message: Message, but one: Int = -1, events: Int = 0) {
    for neighbour in 0..<neighbourCount where neighbour != one {
      send(message, to: neighbour, events: events)
    }
  }

  /// Disconnects from a neighbour, which reconnects later.
  mutating func hangUp(_ neighbour: Int) {
    hangUps.append(neighbour)
  }
}

extension WorldContext<[UInt8]> {
  /// Sends bytes in pieces of a maximum size, cut at any position; in one piece if it is 0.
  mutating func send(
    _ bytes: [UInt8], to neighbour: Int, inPiecesOf pieceMax: Int,
    using generator: inout SeededGenerator
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

/// A message on the links of a ``World``.
protocol WorldMessage {
  /// The size in bytes, which counts against a link's bandwidth.
  var byteCount: Int { get }

  /// Flips a bit of it. Returns `false` if the receiver would detect that and drop it, so
  /// that it counts as lost.
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

/// An action on a ``World``, with times in microseconds.
enum WorldAction: Equatable, Sendable {
  /// A replica makes the edit that a number stands for.
  case edit(Int, UInt64)
  /// A replica makes an edit under a clock that is ahead only for it, by a number of
  /// milliseconds.
  case editAhead(Int, UInt64, by: Int64)
  /// Breaks the link between two replicas, which reconnects later.
  case cut(Int, Int, pause: UInt64)
  /// Disconnects the links between replicas of different groups for some time. All replicas
  /// outside the listed groups form another group.
  case partition([[Int]], length: UInt64)
  /// A replica crashes, and restarts later; the number selects what is left of it.
  case crash(Int, CrashKind, draw: UInt64, down: UInt64)
  /// A replica joins that was away until then.
  case join(Int)
  /// A replica joins that was away until then, as a copy of another that also continues.
  case copy(Int, to: Int, draw: UInt64)
  case leave(Int)
  /// A replica pauses for some time; messages to it wait.
  case pause(Int, length: UInt64)
  /// A replica's clock jumps by a number of milliseconds.
  case jump(Int, Int64)

  /// The ends of a partition, a crash and a pause, which the world performs by itself.
  case heal([[Int]])
  case restart(Int)
  case resume(Int)
  /// The others notice that a replica has gone down.
  case collapse(Int)
}

/// A replica in a ``World``: a state machine that the world's scheduler calls.
///
/// It reads no clock, draws random numbers only from its own seed, and has no effects
/// except its own state and its messages.
protocol WorldNode {
  associatedtype Message: WorldMessage

  /// Makes the edit that a number stands for.
  mutating func edit(_ number: UInt64, _ context: inout WorldContext<Message>)

  /// Performs periodic work: the world calls it once an interval.
  mutating func tick(_ context: inout WorldContext<Message>)

  /// Receives a message from a neighbour.
  mutating func receive(
    _ message: Message, from neighbour: Int, _ context: inout WorldContext<Message>)

  /// Called when a neighbour is connected.
  mutating func connect(to neighbour: Int, _ context: inout WorldContext<Message>)

  /// Called when the connection to a neighbour has ended.
  mutating func disconnect(from neighbour: Int)

  /// Sets the state to what a crash leaves.
  mutating func crash(_ kind: CrashKind, draw: UInt64)

  /// Becomes a copy of another node, which also continues under the same name.
  mutating func become(copyOf other: Self, draw: UInt64)

  /// A short digest of the state: equal digests are equal states. For traces.
  var traceDigest: String? { get }

  /// A short description of the value. For traces.
  var traceValue: String? { get }

  /// The text that it holds, if it holds one, to be traced in place of a description.
  var writtenText: WrittenText? { get }

  /// The name under which it writes, if that tells the authors of a text apart.
  var author: ReplicaID? { get }
}

extension WorldNode {
  mutating func connect(to neighbour: Int, _ context: inout WorldContext<Message>) {}

  mutating func disconnect(from neighbour: Int) {}

  mutating func crash(_ kind: CrashKind, draw: UInt64) {}

  mutating func become(copyOf other: Self, draw: UInt64) {}

  var traceDigest: String? { nil }

  var traceValue: String? { nil }

  var writtenText: WrittenText? { nil }

  var author: ReplicaID? { nil }
}

/// The way in which a replica of a ``World`` crashes.
enum CrashKind: String, CaseIterable, Sendable {
  /// Its durable state is present after the restart.
  case crash
  /// The crash loses an edit that was neither durable nor sent.
  case torn
  /// It restarts from an older copy, under a new replica identifier.
  case restore
  /// It restarts from an older copy under its old identifier. A store's folder is replaced
  /// in one of the ways that users do that.
  case inPlace = "in-place"
}
