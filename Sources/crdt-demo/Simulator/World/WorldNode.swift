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
