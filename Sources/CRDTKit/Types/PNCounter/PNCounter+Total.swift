extension PNCounter {
  /// What one replica has added and taken away in all.
  @frozen
  @usableFromInline
  package struct Total: ReplicaTotal {
    @usableFromInline var increments: UInt64
    @usableFromInline var decrements: UInt64

    @inlinable
    init(increments: UInt64, decrements: UInt64) {
      self.increments = increments
      self.decrements = decrements
    }

    @inlinable
    package static var zero: Total { Total(increments: 0, decrements: 0) }

    @inlinable
    package func joined(with other: Total) -> Total {
      Total(
        increments: Swift.max(increments, other.increments),
        decrements: Swift.max(decrements, other.decrements)
      )
    }

    /// What there is beyond another total, and no less than zero.
    @inlinable
    func subtracting(_ other: Total) -> Total {
      Total(
        increments: increments - Swift.min(other.increments, increments),
        decrements: decrements - Swift.min(other.decrements, decrements)
      )
    }

    @inlinable
    package var contribution: Int128 { Int128(increments) - Int128(decrements) }

    @inlinable
    package func encode(to writer: inout ByteWriter) {
      writer.write(varint: increments)
      writer.write(varint: decrements)
    }

    @inlinable
    package init(from reader: inout ByteReader) throws(DecodingFailure) {
      increments = try reader.readVarint()
      decrements = try reader.readVarint()
    }
  }
}
