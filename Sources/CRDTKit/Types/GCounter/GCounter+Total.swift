extension GCounter {
  /// What one replica has added in all.
  @frozen
  @usableFromInline
  package struct Total: ReplicaTotal {
    @usableFromInline var increments: UInt64

    @inlinable
    init(increments: UInt64) {
      self.increments = increments
    }

    @inlinable
    package static var zero: Total { Total(increments: 0) }

    @inlinable
    package func joined(with other: Total) -> Total {
      Total(increments: Swift.max(increments, other.increments))
    }

    @inlinable
    package var contribution: Int128 { Int128(increments) }

    @inlinable
    package func encode(to writer: inout ByteWriter) {
      writer.write(varint: increments)
    }

    @inlinable
    package init(from reader: inout ByteReader) throws(DecodingFailure) {
      increments = try reader.readVarint()
    }
  }
}
