extension GCounter: BytesCodable {
  /// The code of `GCounter`.
  @inlinable
  public static var typeCode: [UInt8] { [33] }

  /// Writes the number of replicas, then each and what it has added.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    totals.encode(to: &writer)
  }

  /// Reads replicas in ascending order, none of which has added nothing.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    totals = try ReplicaTotals(from: &reader)
  }
}
