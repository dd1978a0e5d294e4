/// What a row of a counter inside a map says.
///
/// It holds the running totals of the replica that wrote it, or the totals of all
/// replicas that the removal of the counter had seen.
///
/// What is left of a counter is what its replicas have counted beyond what the
/// removals had seen; so a removal takes away just that, and several removals join by
/// maximum. That holds within one life of a replica's counter: a replica that counts
/// anew after a removal may begin another life, whose totals begin at 0 and have
/// nothing to do with those of the lives before.
@frozen
public struct CounterRow: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @frozen
  @usableFromInline
  enum Content: Hashable, Sendable {
    /// The totals of a replica in the first life of its counter.
    case total(Total)
    /// The totals that a removal saw, all of first lives.
    case removed(ReplicaTotals<Total>)
    /// The totals of a replica in a later life, which is not 0.
    indirect case laterTotal(Total, life: UInt64)
    /// The totals that a removal saw, some of later lives.
    indirect case laterRemoved(CounterTrace)
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ content: Content) {
    self.content = content
  }

  /// Creates the row of a replica that counts.
  @inlinable
  init(_ total: Total, life: UInt64) {
    self.init(life == 0 ? .total(total) : .laterTotal(total, life: life))
  }

  /// Creates the row that a removal leaves.
  @inlinable
  init(_ trace: CounterTrace) {
    self.init(trace.lives.isEmpty ? .removed(trace.totals) : .laterRemoved(trace))
  }

  @inlinable
  var isTotal: Bool { counted != nil }

  /// The totals of the replica that wrote the row, and the life that they are of; `nil`
  /// where the row is of a removal.
  @inlinable
  var counted: (total: PNCounter.Total, life: UInt64)? {
    switch content {
    case .total(let total): (total, 0)
    case .laterTotal(let total, let life): (total, life)
    case .removed, .laterRemoved: nil
    }
  }

  /// The greatest number of a life: no replica makes more events.
  @inlinable
  static var lifeMax: UInt64 { Dot.counterMax }
}

extension CounterRow: CanonicalCodable {
  /// The first byte of a row.
  @usableFromInline
  enum Kind: UInt8 {
    case total, removed, laterTotal, laterRemoved
  }

  /// Writes 0 and the totals, or 1 and all replicas' totals; of later lives 2, the
  /// life and the totals, or 3, all replicas' totals and their lives.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    switch content {
    case .total(let total):
      writer.write(Kind.total.rawValue)
      total.encode(to: &writer)
    case .removed(let totals):
      writer.write(Kind.removed.rawValue)
      totals.encode(to: &writer)
    case .laterTotal(let total, let life):
      writer.write(Kind.laterTotal.rawValue)
      writer.write(varint: life)
      total.encode(to: &writer)
    case .laterRemoved(let trace):
      writer.write(Kind.laterRemoved.rawValue)
      trace.encode(to: &writer)
    }
  }

  /// Reads what ``encode(to:)`` wrote.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch Kind(rawValue: try reader.readByte()) {
    case .total: content = .total(try Total(from: &reader))
    case .removed: content = .removed(try ReplicaTotals(from: &reader))
    case .laterTotal:
      let life = try reader.readVarint()
      guard life > 0 else {
        throw DecodingFailure(.notCanonical("a counter's first life"), at: start)
      }
      guard life <= Self.lifeMax else {
        throw DecodingFailure(.outOfBounds("a counter's life"), at: start)
      }
      content = .laterTotal(try Total(from: &reader), life: life)
    case .laterRemoved: content = .laterRemoved(try CounterTrace(from: &reader))
    case nil: throw DecodingFailure(.invalidValue("no kind of counter row"), at: start)
    }
  }
}
