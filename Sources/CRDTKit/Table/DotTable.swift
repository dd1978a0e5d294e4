/// The merge engine: rows under dots, and the version of the events seen.
///
/// Every type with elements or concurrent values stores its state in such a table. An
/// event adds a row with a key and a payload under its ``Dot``, and later events remove
/// the row. A table holds the live rows and the version of all events seen; it keeps no
/// trace of removed rows.
///
/// That suffices for merging: a row stays if both tables have it, or if the other table
/// has never seen its dot. If the other table has seen the dot but lacks the row, the row
/// was removed there. (Bieniusa et al., "An optimized conflict-free replicated set",
/// 2012.) Since every change is an event, tables that have seen the same events hold the
/// same rows.
///
/// Copies are cheap, and so are changes after a copy: tables share the pages they have in
/// common.
@frozen
public struct DotTable<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: Sendable {
  @usableFromInline package typealias Replica = Column<Key, Payload>

  /// The replicas that have made events, in ascending order.
  @usableFromInline package var columns: ContiguousArray<Replica>
  /// The number of live rows.
  @usableFromInline package var rowCount: Int
  /// The number of events seen: the sum of the version's counters.
  @usableFromInline package var eventCount: UInt64
  /// Finds rows by key; always present if the table is too large to search its rows one
  /// by one.
  @usableFromInline package var index: KeyIndexCache?
  /// The order of the elements of its text, made on first use.
  @usableFromInline var order: TextOrderCache?
  /// The last edit of this table that made a delta.
  @usableFromInline var lastEdit: LastEdit?
  /// The replicas that were found to have written in two places.
  @usableFromInline package var forks: ContiguousArray<NotedFork>
  /// The lines of events of this table that were renamed last.
  @usableFromInline var renamed: ContiguousArray<Mended>
  /// The stretches that begin with a replica's next events here.
  @usableFromInline var nextStretch: NextStretch?

  /// Creates an empty table that has seen no events.
  @inlinable
  package init() {
    columns = []
    rowCount = 0
    eventCount = 0
    index = nil
    order = nil
    lastEdit = nil
    forks = []
    renamed = []
    nextStretch = nil
  }
}

/// A replica that has written in two places, and the number of times that was detected.
@frozen
@usableFromInline
package struct NotedFork: Equatable, Sendable {
  @usableFromInline package let replica: ReplicaID
  @usableFromInline var count: Int

  @inlinable
  init(replica: ReplicaID, count: Int) {
    self.replica = replica
    self.count = count
  }
}

/// The stretches that a replica begins, for itself and for each authority that it writes
/// for.
@frozen
@usableFromInline
struct NextStretch: Sendable {
  @usableFromInline let replica: ReplicaID
  @usableFromInline let nonce: UInt32
  /// The names under which it has begun a stretch.
  @usableFromInline var begun: ContiguousArray<ReplicaID> = []

  @inlinable
  init(replica: ReplicaID, nonce: UInt32) {
    self.replica = replica
    self.nonce = nonce
  }

  /// Returns whether the next event under a name begins a stretch.
  @usableFromInline
  func begins(_ name: ReplicaID) -> Bool {
    !begun.contains(name) && name.isName(of: replica)
  }
}

extension DotTable {
  /// The version of all events that the table has seen.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var version: VersionVector {
    var entries: ContiguousArray<VersionVector.Entry> = []
    entries.reserveCapacity(columns.count)
    // Columns are read in place, because copying one copies all its references.
    for place in columns.indices {
      entries.append(VersionVector.Entry(columns[place].replica, columns[place].seen))
    }
    return VersionVector(sortedEntries: entries)
  }

  /// Returns the index of a replica's column, or the index at which to insert it.
  @inlinable
  func columnPlace(of replica: ReplicaID) -> Int {
    columns.indices.partitioningIndex { columns[$0].replica >= replica }
  }

  /// Returns the index of a replica's column; `nil` if it has made no event.
  @inlinable
  package func column(of replica: ReplicaID) -> Int? {
    let place = columnPlace(of: replica)
    return place < columns.count && columns[place].replica == replica ? place : nil
  }

  /// Returns how many of a replica's events have been seen.
  @inlinable
  package func seen(of replica: ReplicaID) -> UInt64 {
    column(of: replica).map { columns[$0].seen } ?? 0
  }

  /// Returns whether every event of the version has been seen.
  @inlinable
  package func contains(_ version: VersionVector) -> Bool {
    var place = 0
    for entry in version.entries {
      // The replicas of a version are usually those of neighbouring columns.
      if place >= columns.count || columns[place].replica != entry.replica {
        place = columnPlace(of: entry.replica)
      }
      guard place < columns.count, columns[place].replica == entry.replica,
        columns[place].seen >= entry.counter
      else { return false }
      place &+= 1
    }
    return true
  }

  /// Calls the body with the dot and row of each live row, in the order of dots.
  @inlinable
  package func forEachRow(_ body: (_ dot: Dot, _ row: Row<Key, Payload>) -> Void) {
    for column in columns {
      column.forEachRow { body(Dot(column.replica, $0), $1) }
    }
  }

  /// Calls the body with the dot and address of each live row, in the order of dots.
  ///
  /// The addresses are valid during the call.
  @inlinable
  func forEachAddress(
    _ body: (_ dot: Dot, _ row: UnsafeMutablePointer<Row<Key, Payload>>) -> Void
  ) {
    for place in columns.indices where columns[place].seen > 0 {
      let replica = columns[place].replica
      columns[place].forEachRow(in: 1...columns[place].seen) { body(Dot(replica, $0), $1) }
    }
  }

  /// Returns the live row at a dot.
  @inlinable
  package func row(at dot: Dot) -> Row<Key, Payload>? {
    column(of: dot.replica).flatMap { columns[$0].row(at: dot.counter) }
  }
}

/// A live row of a table: its key and its payload.
@frozen
@usableFromInline
package struct Row<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: Sendable {
  @usableFromInline package var key: Key
  @usableFromInline package var payload: Payload

  @inlinable
  package init(key: Key, payload: Payload) {
    self.key = key
    self.payload = payload
  }

  /// The address of the key of a row, which is valid while the row is.
  @inlinable
  @inline(__always)
  static func key(of row: UnsafeMutablePointer<Row>) -> UnsafePointer<Key> {
    withUnsafePointer(to: &row.pointee.key) { $0 }
  }

  /// The address of the payload of a row, which is valid while the row is.
  @inlinable
  @inline(__always)
  static func payload(of row: UnsafeMutablePointer<Row>) -> UnsafePointer<Payload> {
    withUnsafePointer(to: &row.pointee.payload) { $0 }
  }
}

/// An empty value, for rows that need no key or no payload.
@frozen
public struct NoPayload: Hashable, CanonicalCodable {
  /// Creates the only value of this type.
  @inlinable
  public init() {}

  /// Empty, because the type code of the containing type suffices.
  @inlinable
  public static var typeCode: [UInt8] { [] }

  /// Writes nothing.
  @inlinable
  public func encode(to writer: inout ByteWriter) {}

  /// Reads nothing.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {}

  /// The same number for all values.
  @inlinable
  public var _fingerprint: UInt64 { 0 }
}
