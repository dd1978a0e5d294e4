/// The merge engine: rows under dots, and the version of what has been seen.
///
/// Every type with elements or concurrent values is a view of such a table. A
/// row is born at an event, under the event's ``Dot``, with a key and a payload;
/// later events kill it. A table holds the rows that live and the version of all
/// events taken in; it keeps no trace of rows that died.
///
/// That is enough to merge: a row stays if both tables have it, or if the other
/// has never seen its dot. A row that is missing where its dot was seen was
/// removed there. (Bieniusa et al., "An optimized conflict-free replicated set",
/// 2012.) Since every change is an event, tables that have seen the same events
/// hold the same rows.
///
/// Copies are cheap, and so are changes after a copy: what two tables hold in
/// common they share, page by page.
@frozen
public struct DotTable<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: Sendable {
  @usableFromInline package typealias Replica = Column<Key, Payload>

  /// The replicas that have made events, in ascending order.
  @usableFromInline package var columns: ContiguousArray<Replica>
  /// How many live rows there are.
  @usableFromInline package var rowCount: Int
  /// How many events have been seen: the sum of the version's counters.
  @usableFromInline package var eventCount: UInt64
  /// Finds rows by key; always there where the table has more rows than are
  /// searched one by one.
  @usableFromInline var index: KeyIndexCache?
  /// The last edit that made a delta here.
  @usableFromInline var lastEdit: EditMark?
  /// The replicas under whose names two places have written, as far as was noticed.
  @usableFromInline package var forks: ContiguousArray<NotedFork>
  /// The lines of events that were here and go by other names now: the last ones.
  @usableFromInline var renamed: ContiguousArray<Mended>
  /// The stretches that a replica's next events here begin.
  @usableFromInline var nextStretch: NextStretch?

  /// Creates a table that has seen nothing.
  @inlinable
  public init() {
    columns = []
    rowCount = 0
    eventCount = 0
    index = nil
    lastEdit = nil
    forks = []
    renamed = []
    nextStretch = nil
  }
}

/// A replica under whose name two places have written, and how often that was noticed.
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

/// The stretches that a replica begins, for itself and for each authority that it writes for.
@frozen
@usableFromInline
struct NextStretch: Sendable {
  @usableFromInline let replica: ReplicaID
  @usableFromInline let nonce: UInt32
  /// The names under which it has begun one.
  @usableFromInline var begun: ContiguousArray<ReplicaID> = []

  @inlinable
  init(replica: ReplicaID, nonce: UInt32) {
    self.replica = replica
    self.nonce = nonce
  }

  /// Whether the next event under a name begins a stretch.
  @usableFromInline
  func begins(_ name: ReplicaID) -> Bool {
    !begun.contains(name) && name.isName(of: replica)
  }
}

extension DotTable {
  /// The version of the events that the table has taken in.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var version: VersionVector {
    // Columns are looked at where they stand: a copy of one costs four references.
    VersionVector(
      sortedEntries: ContiguousArray(
        columns.indices.lazy.map { VersionVector.Entry(columns[$0].replica, columns[$0].seen) }
      )
    )
  }

  /// The place of a replica's column, or where it would be inserted.
  @inlinable
  func columnPlace(of replica: ReplicaID) -> Int {
    var low = 0
    var high = columns.count
    while low < high {
      let middle = (low &+ high) / 2
      if columns[middle].replica < replica { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// The place of a replica's column, if it has made any event.
  @inlinable
  package func column(of replica: ReplicaID) -> Int? {
    let place = columnPlace(of: replica)
    return place < columns.count && columns[place].replica == replica ? place : nil
  }

  /// How many of a replica's events have been seen.
  @inlinable
  package func seen(of replica: ReplicaID) -> UInt64 {
    column(of: replica).map { columns[$0].seen } ?? 0
  }

  /// Whether every event of the version has been seen.
  @inlinable
  package func contains(_ version: VersionVector) -> Bool {
    var place = 0
    for entry in version.entries {
      // Mostly the replicas of a version are those of neighbouring columns.
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

  /// The live row born at a dot.
  @inlinable
  package func row(at dot: Dot) -> Row<Key, Payload>? {
    guard let place = column(of: dot.replica),
      let found = columns[place].find(dot.counter)
    else { return nil }
    return columns[place].sheets[found.sheet].page.row(at: found.slot)
  }
}

/// One live row of a table: what it is about, and what it says.
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
}

/// The value that says nothing: the key of rows of which there is one kind, the
/// payload of rows whose key says it all.
@frozen
public struct Unit: Hashable, CanonicalCodable {
  /// Creates the only value there is.
  @inlinable
  public init() {}

  /// Empty: what it is part of has a code.
  @inlinable
  public static var typeCode: [UInt8] { [] }

  /// Writes nothing.
  @inlinable
  public func encode(to writer: inout ByteWriter) {}

  /// Reads nothing.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {}

  /// Always the same.
  @inlinable
  public var fingerprint: UInt64 { 0 }
}
