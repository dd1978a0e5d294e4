extension PNCounter: BytesCodable {
  /// The code of `PNCounter`.
  @inlinable
  public static var typeCode: [UInt8] { [34] }

  /// Writes the number of replicas, then each, what it has added and what it has
  /// taken away.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
  }

  /// Reads replicas in ascending order, none of which has done nothing.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    totals = try ReplicaTotals(from: &reader)
  }
}
