/// One thing that happened in a simulation.
struct TraceEvent: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case begin, edit, send, receive, lose, duplicate, corrupt, learn, connect, cut, partition, heal,
      crash, restart, pause, resume, join, leave, clock, check, violation, end
  }

  /// Microseconds of virtual time since the beginning.
  var time: UInt64
  var kind: Kind
  /// The replica's place, from 0; nil where it is about the whole world.
  var replica: Int?
  /// The other end of the link, where there is one.
  var peer: Int?
  /// The same number for a message's send and its receive, loss or duplicates.
  var message: Int?
  var bytes: Int?
  /// How many events (edits) a message brings, or a replica learned.
  var events: Int?
  /// A short digest of the replica's state after it: equal digests are equal states.
  var digest: String?
  /// What the replica's value reads as, short.
  var value: String?
  /// Anything else a person should know.
  var detail: String?
}
