/// What a row of a counter inside a map says.
///
/// It holds the running totals of the replica that wrote it, or the totals of all
/// replicas that the removal of the counter had seen.
///
/// A replica's totals never start again. What is left of a counter is what its
/// replicas have counted beyond what the removals had seen; so a removal takes
/// away just that, and several removals join by maximum.
@frozen
public struct CounterRow: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @frozen
  @usableFromInline
  enum Content: Hashable, Sendable {
    case total(Total)
    case removed(ReplicaTotals<Total>)
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ content: Content) {
    self.content = content
  }

  @inlinable
  var isTotal: Bool {
    if case .total = content { true } else { false }
  }
}

extension CounterRow: CanonicalCodable {
  /// Writes 0 and the totals, or 1 and all replicas' totals.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    switch content {
    case .total(let total):
      writer.write(0 as UInt8)
      total.encode(to: &writer)
    case .removed(let totals):
      writer.write(1 as UInt8)
      totals.encode(to: &writer)
    }
  }

  /// Reads 0 and totals, or 1 and all replicas' totals.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let isRemoval = try Bool(from: &reader)
    content =
      isRemoval ? .removed(try ReplicaTotals(from: &reader)) : .total(try Total(from: &reader))
  }
}
