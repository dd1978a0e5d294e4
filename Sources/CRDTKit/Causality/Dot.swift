/// The name of one event: its replica, and its number among that replica's events.
///
/// Counters start at 1 and have no gaps. So a ``VersionVector``, with one number for each
/// replica, describes which events have been seen.
@frozen
public struct Dot: Codable, Hashable, Sendable {
  /// The replica that made the event.
  public var replica: ReplicaID
  /// The event's number among the events of its replica, from 1.
  public var counter: UInt64

  /// Creates a dot from a replica and a counter.
  @inlinable
  public init(_ replica: ReplicaID, _ counter: UInt64) {
    self.replica = replica
    self.counter = counter
  }
}

extension Dot {
  /// The greatest possible counter: 2⁴⁸ − 1.
  ///
  /// A replica that makes a million events a second reaches it after nine years.
  @inlinable
  static var counterMax: UInt64 { 1 << 48 - 1 }
}

extension Dot: Comparable {
  /// Orders dots by replica, then by counter: the order in which every replica
  /// lists the same rows.
  @inlinable
  public static func < (left: Dot, right: Dot) -> Bool {
    left.replica == right.replica ? left.counter < right.counter : left.replica < right.replica
  }
}

extension Dot: CustomStringConvertible {
  /// The replica's text form, a colon and the counter.
  public var description: String { "\(replica):\(counter)" }
}
