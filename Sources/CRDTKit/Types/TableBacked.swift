/// A type that stores its whole state in a table of rows under dots.
///
/// The table provides merging, deltas, equality and the binary format. The type defines
/// the meaning of the rows.
public protocol TableBacked: EditableValue, DeltaMergeable, BytesCodable, Hashable
where Version == VersionVector, Delta == TableDelta<Self> {
  /// The rows, and the version of all received events.
  var _table: DotTable<RowKey, RowPayload> { get set }

  /// Creates the value from its rows.
  init(_table table: DotTable<RowKey, RowPayload>)

  /// Decodes the canonical form of a delta's changes.
  ///
  /// Implement it only for rows that can be decoded faster than by decoding their keys
  /// and payloads.
  static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta
}

extension TableBacked {
  /// The version of all events seen here, including removals.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var version: VersionVector { _table.version }

  /// A digest of the version and the contents.
  ///
  /// Two copies have the same digest if and only if they have seen the same events and
  /// hold the same contents. That holds even if an attacker made one of them.
  ///
  /// - Complexity: O(size of the value) at first. The value and its copies keep the
  ///   digests they have computed. After a change, it takes O(number of pages of up to
  ///   1,024 events), and a few dozen digests of some hundred bytes for each row added or
  ///   removed.
  @inlinable
  public var contentDigest: ContentDigest { _table.digest }

  /// The replicas under whose identifier two places were found to have written.
  ///
  /// No change is lost by that. Once a copy has received the events of both places, it
  /// renames the events of one of them from the point where they part, and every other
  /// copy renames them in the same way. If you write as one of these replicas, go on
  /// under a new identifier. Do the same if ``version`` has more events of your
  /// identifier than you have made.
  public var forks: [ReplicaID] { _table.forks.map(\.replica).sorted() }

  /// Merges the state of another copy into this one.
  ///
  /// A row that one side added stays, unless the other side had seen it and removed it.
  /// If two places have written as one replica, the merge repairs that and adds the
  /// replica to ``forks``.
  ///
  /// - Complexity: O(pages of up to 1,024 events in both), and O(rows) for pages in which
  ///   the two sides differ in their live rows. Pages that only the other copy has are
  ///   shared.
  @inlinable
  public mutating func merge(_ other: Self) {
    _table.merge(other._table)
  }

  /// Merges the state of another copy, unless two places have written as the same
  /// replica.
  ///
  /// - Returns: Whether the other copy contained anything new.
  /// - Complexity: As ``merge(_:)``.
  /// - Throws: ``DeltaError/fork(_:)``; the value is unchanged then.
  @inlinable
  @discardableResult
  public mutating func merge(checking other: Self) throws(DeltaError) -> Bool {
    if let replica = _table.fork(from: other._table) { throw .fork(replica) }
    if _table.contains(other.version) { return false }
    _table.merge(other._table)
    return true
  }

  /// Returns the changes of this copy that `version` does not contain.
  ///
  /// - Complexity: O(number of replicas + changes).
  @inlinable
  public func delta(since version: VersionVector) -> TableDelta<Self> {
    TableDelta(_table.delta(since: version))
  }

  /// Applies a delta, and returns whether it contained anything new.
  ///
  /// - Complexity: O(number of replicas + new changes in the delta).
  /// - Throws: ``DeltaError/gap(missing:)`` if the delta builds on events that this copy
  ///   has not seen; ``DeltaError/fork(_:)`` if two places have written under one
  ///   identifier. The value is unchanged then.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: TableDelta<Self>) throws(DeltaError) -> Bool {
    try _table.apply(delta.changes)
  }

  /// Applies a delta and repairs forks; returns whether the delta contained anything new.
  ///
  /// To repair a fork, the delta must contain all events of the replica: make it for the
  /// version without the replica, `version[replica] = 0`. A repaired replica is in
  /// ``forks``.
  ///
  /// - Complexity: As ``apply(_:)``; O(rows) if a fork is repaired.
  /// - Throws: As ``apply(_:)``; ``DeltaError/fork(_:)`` if the delta does not contain
  ///   all events of the replica.
  @inlinable
  @discardableResult
  public mutating func apply(mending delta: TableDelta<Self>) throws(DeltaError) -> Bool {
    try _table.apply(delta.changes, mending: []).isNew
  }

  /// Checks that a delta can be applied, without applying it.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: The error that ``apply(_:)`` would throw.
  @inlinable
  public func check(_ delta: TableDelta<Self>) throws(DeltaError) {
    try _table.check(delta.changes)
  }

  /// Makes changes as a replica, and returns one delta of them all.
  ///
  ///     let delta = list.edit(by: phone) {
  ///       $0.insert("bread")
  ///       $0.remove("tea")
  ///     }
  ///
  /// Each change takes effect at once. The return value of `body` is discarded. If `body`
  /// throws, its earlier changes remain; ``DeltaMergeable/delta(since:)`` returns them.
  ///
  /// - Complexity: O(number of replicas) and the complexity of `body`.
  @inlinable
  @discardableResult
  public mutating func edit<Result>(
    by replica: ReplicaID, _ body: (inout Editor<Self>) throws -> Result
  ) rethrows -> TableDelta<Self> {
    let before = _table.version
    _ = try withEditor(by: replica, body)
    return TableDelta(_table.editDelta(since: before, by: replica))
  }

  /// Runs `body` with an editor, without making a delta.
  @inlinable
  mutating func withEditor<Result>(
    by replica: ReplicaID, _ body: (inout Editor<Self>) throws -> Result
  ) rethrows -> Result {
    // Only the scope holds the table now, so changes are made in place.
    let scope = TableScope(_table, replica: replica)
    _table = DotTable()
    defer { _table = scope.table }
    var editor = Editor<Self>(scope)
    return try body(&editor)
  }
}

extension TableBacked {
  /// Decodes the rows by decoding their keys and payloads.
  @inlinable
  public static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta {
    try DotTable.Delta(from: &reader)
  }

  /// Encodes the table's canonical form.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    _table.encode(to: &writer)
  }

  /// Decodes a table's canonical form.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(_table: try DotTable(from: &reader))
  }

  /// Merges an encoded state.
  ///
  /// The version is decoded first; changes that are already known are skipped.
  ///
  /// - Parameters:
  ///   - bytes: The result of the other copy's `encoded()`.
  ///   - maximumMemoryBytes: The most memory that the decoded state may take.
  /// - Returns: Whether the state contained anything new.
  /// - Throws: ``DeltaError/malformed(_:)`` or ``DeltaError/fork(_:)``; the value is
  ///   unchanged then.
  @inlinable
  @discardableResult
  public mutating func merge(
    decoding bytes: some Collection<UInt8>, maximumMemoryBytes: Int = .max
  ) throws(DeltaError) -> Bool {
    let bytes = Array(bytes)
    let heads = try DeltaError.wrap { () throws(DecodingFailure) in
      var reader = try BinaryFormat.openBody(of: bytes, typeCode: Self.typeCode)
      return try ColumnHeads(stateFrom: &reader, skims: true)
    }
    if _table.comesTo(heads) { return false }
    let other = try DeltaError.wrap { () throws(DecodingFailure) in
      try Self(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    }
    return try merge(checking: other)
  }

  /// Applies an encoded delta.
  ///
  /// The version is decoded first; changes that are already known are skipped.
  ///
  /// - Parameters:
  ///   - bytes: The result of the delta's `encoded()`.
  ///   - maximumMemoryBytes: The most memory that the decoded delta may take.
  /// - Returns: Whether the delta contained anything new.
  /// - Throws: ``DeltaError``; the value is unchanged then.
  @inlinable
  @discardableResult
  public mutating func apply(
    decoding bytes: some Collection<UInt8>, maximumMemoryBytes: Int = .max
  ) throws(DeltaError) -> Bool {
    let bytes = Array(bytes)
    let heads = try DeltaError.wrap { () throws(DecodingFailure) in
      let code = TableDelta<Self>.typeCode
      var reader = try BinaryFormat.openBody(of: bytes, typeCode: code)
      return try ColumnHeads(deltaFrom: &reader)
    }
    if try _table.hasSeen(heads, in: bytes) { return false }
    let delta = try DeltaError.wrap { () throws(DecodingFailure) in
      try TableDelta<Self>(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    }
    return try apply(delta)
  }
}
