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
