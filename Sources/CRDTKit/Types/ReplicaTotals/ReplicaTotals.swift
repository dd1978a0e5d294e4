/// A counter's totals by replica: the common part of the counters.
///
/// Replicas and totals are in separate arrays. So two counters of the same replicas merge
/// by one comparison of arrays and one loop of maxima.
@frozen
@usableFromInline
package struct ReplicaTotals<Total: ReplicaTotal>: Hashable, Sendable {
  /// The replicas that have changed the counter, in ascending order.
  @usableFromInline package var replicas: ContiguousArray<ReplicaID>

  /// The total of each, never zero.
  @usableFromInline package var totals: ContiguousArray<Total>

  @inlinable
  package init() {
    replicas = []
    totals = []
  }

  @inlinable
  package init(sortedReplicas: ContiguousArray<ReplicaID>, totals: ContiguousArray<Total>) {
    replicas = sortedReplicas
    self.totals = totals
  }

  /// The total of one replica.
  @inlinable
  package init(_ replica: ReplicaID, _ total: Total) {
    self.init()
    self[replica] = total
  }

  @inlinable
  package var count: Int { replicas.count }

  /// Sets a replica's total, which must not go back to zero.
  @inlinable
  package subscript(replica: ReplicaID) -> Total {
    get {
      let place = place(of: replica, from: 0)
      return holds(replica, at: place) ? totals[place] : .zero
    }
    set {
      let place = place(of: replica, from: 0)
      if holds(replica, at: place) {
        totals[place] = newValue
      } else if newValue != .zero {
        replicas.insert(replica, at: place)
        totals.insert(newValue, at: place)
      }
    }
  }

  /// The sum of the contributions of all totals.
  ///
  /// It can't overflow with fewer than 2⁶⁴ replicas of 2⁶⁴ each.
  @inlinable
  package var sum: Int128 {
    totals.reduce(0) { $0 + $1.contribution }
  }

  @inlinable
  func holds(_ replica: ReplicaID, at place: Int) -> Bool {
    place < count && replicas[place] == replica
  }

  /// The first index at or after `start` whose replica is not less than `replica`.
  @inlinable
  func place(of replica: ReplicaID, from start: Int) -> Int {
    (start..<count).partitioningIndex { replicas[$0] >= replica }
  }
}

/// The sums of one replica's changes to a counter: numbers that only grow.
///
/// It stores only those numbers, each a `UInt64`.
@usableFromInline
package protocol ReplicaTotal: Hashable, Sendable, BitwiseCopyable {
  /// The totals of a replica without changes.
  static var zero: Self { get }

  /// Returns the greater of each number.
  func joined(with other: Self) -> Self

  /// The contribution of the numbers to the counter's value.
  var contribution: Int128 { get }

  /// Encodes the numbers.
  func encode(to writer: inout ByteWriter)

  /// Decodes the numbers.
  init(from reader: inout ByteReader) throws(DecodingFailure)
}

/// A change of a counter that was refused because it would exceed the counter's bounds.
///
/// As far as the replica that makes a change knows, the counter's value stays between
/// `Int64.min` and `Int64.max`. The sums of one replica's increments and decrements stay
/// within `UInt64`. No value wraps, and no change is dropped silently.
public struct CounterOverflow: Error, Hashable, Sendable {
  /// The replica that tried to make the change.
  public var replica: ReplicaID
  /// The amount by which the counter should have gone up or down.
  public var amount: UInt64

  /// Creates the error.
  @inlinable
  public init(replica: ReplicaID, amount: UInt64) {
    self.replica = replica
    self.amount = amount
  }
}

extension CounterOverflow: CustomStringConvertible {
  /// A sentence that describes the refused change.
  public var description: String {
    "a change of \(amount) by replica \(replica) would take the counter out of bounds"
  }
}

extension ReplicaTotals {
  /// Encodes the number of replicas, then each replica and its totals.
  @inlinable
  package func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for place in replicas.indices {
      replicas[place].encode(to: &writer)
      totals[place].encode(to: &writer)
    }
  }

  /// Decodes totals in ascending order of replicas; a total of zero is not canonical.
  @inlinable
  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init()
    let count = try reader.readCount(of: "replicas")
    try reader.makeRoom(for: count, in: &replicas)
    try reader.makeRoom(for: count, in: &totals)
    for _ in 0..<count {
      let replica = try reader.readReplica(after: replicas.last)
      let start = reader.offset
      let total = try Total(from: &reader)
      guard total != .zero else {
        throw DecodingFailure(.notCanonical("a counter's total"), at: start)
      }
      replicas.append(replica)
      totals.append(total)
    }
  }
}
