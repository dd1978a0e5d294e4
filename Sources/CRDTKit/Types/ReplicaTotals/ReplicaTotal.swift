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
