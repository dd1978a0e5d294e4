/// A counter's totals, replica by replica: what the counters have in common.
///
/// Replicas and totals stand in separate arrays, so that two counters of the
/// same replicas merge by one comparison of arrays and one loop of maxima.
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

  /// A replica's total, which is never set back to zero.
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

  /// The sum of what all totals contribute.
  ///
  /// 2⁶⁴ replicas of 2⁶⁴ each would be needed to leave its bounds.
  @inlinable
  package var sum: Int128 {
    totals.reduce(0) { $0 + $1.contribution }
  }

  @inlinable
  func holds(_ replica: ReplicaID, at place: Int) -> Bool {
    place < count && replicas[place] == replica
  }

  /// The first place at or after `start` whose replica is not less.
  @inlinable
  func place(of replica: ReplicaID, from start: Int) -> Int {
    var low = start
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if replicas[middle] < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// What one replica has done to a counter in all: numbers that only grow.
///
/// Stored as nothing but those numbers, each a `UInt64`.
@usableFromInline
package protocol ReplicaTotal: Hashable, Sendable, BitwiseCopyable {
  /// The totals of a replica that has done nothing.
  static var zero: Self { get }

  /// The greater of each number.
  func joined(with other: Self) -> Self

  /// What the numbers add to the counter's value.
  var contribution: Int128 { get }

  /// Writes the numbers.
  func encode(to writer: inout ByteWriter)

  /// Reads the numbers.
  init(from reader: inout ByteReader) throws(DecodingFailure)
}

/// A counter was not changed, because the change would take it out of bounds.
///
/// A counter's value stays between `Int64.min` and `Int64.max` as far as the
/// replica that changes it knows, and what one replica has added or taken away
/// in all stays within `UInt64`. Nothing wraps and nothing is dropped in
/// silence.
public struct CounterOverflow: Error, Hashable, Sendable {
  /// The replica that was to make the change.
  public var replica: ReplicaID
  /// By how much the counter was to go up or down.
  public var amount: UInt64

  /// Creates the error.
  @inlinable
  public init(replica: ReplicaID, amount: UInt64) {
    self.replica = replica
    self.amount = amount
  }
}

extension CounterOverflow: CustomStringConvertible {
  /// A sentence that says what was refused.
  public var description: String {
    "a change of \(amount) by replica \(replica) would take the counter out of bounds"
  }
}

extension ReplicaTotals {
  /// Writes the number of replicas, then each and its totals.
  @inlinable
  package func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(count))
    for place in replicas.indices {
      replicas[place].encode(to: &writer)
      totals[place].encode(to: &writer)
    }
  }

  /// Reads totals in ascending order of their replicas, none of them zero.
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
