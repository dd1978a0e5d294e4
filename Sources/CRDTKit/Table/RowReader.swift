/// Reads the rows of one column, one after another: each after the one before.
///
/// A type of rows may have a reader of its own, which keeps less of the row before
/// than a copy of it.
@usableFromInline
package protocol RowReader {
  associatedtype Key: Hashable & CanonicalCodable
  associatedtype Payload: CanonicalCodable

  /// Begins a column.
  init(from reader: inout ByteReader)

  /// Reads the next row.
  mutating func next(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> Row<Key, Payload>

  /// Ends the column, whether it was read to its end or not.
  consuming func finish(_ reader: inout ByteReader)
}

/// Reads rows as their keys and payloads are read.
@frozen
@usableFromInline
struct PlainRowReader<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: RowReader {
  @usableFromInline var previous: Row<Key, Payload>?

  @inlinable
  init(from reader: inout ByteReader) {}

  @inlinable
  mutating func next(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> Row<Key, Payload> {
    let key = try Key(from: &reader, after: previous?.key)
    let payload = try Payload(from: &reader, after: previous?.payload)
    let row = Row(key: key, payload: payload)
    previous = row
    return row
  }

  @inlinable
  consuming func finish(_ reader: inout ByteReader) {}
}
