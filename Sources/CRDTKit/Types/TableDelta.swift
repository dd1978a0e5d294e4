/// What one copy of a value knows and a version does not: new rows, and what was
/// removed.
///
/// A delta may be sent, stored and taken in more than once, by anyone; it takes
/// effect only where ``base`` has been seen, and is refused otherwise.
@frozen
public struct TableDelta<Value: TableBacked>: Sendable {
  @usableFromInline package var changes: DotTable<Value.RowKey, Value.RowPayload>.Delta

  @inlinable
  package init(_ changes: DotTable<Value.RowKey, Value.RowPayload>.Delta) {
    self.changes = changes
  }

  /// The events that must have been seen before the delta can be taken in.
  @inlinable
  public var base: VersionVector { changes.base }

  /// The new events, as the version of them alone.
  @inlinable
  public var version: VersionVector {
    VersionVector(
      sortedEntries: ContiguousArray(
        changes.columns.lazy.filter { $0.seen > changes.base[$0.replica] }
          .map { VersionVector.Entry($0.replica, $0.seen) }
      )
    )
  }

  /// Whether there is nothing new in it.
  @inlinable
  public var isEmpty: Bool { changes.columns.isEmpty }
}

extension TableDelta: BinaryCodable {
  /// The code of deltas, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [31] + Value.typeCode }

  /// Writes the delta's canonical form.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    changes.encode(to: &writer)
  }

  /// Reads a delta's canonical form.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(try Value._readChanges(from: &reader))
  }
}
