/// A type whose whole state is a table of rows under dots.
///
/// It gets merging, deltas, equality and the binary format from the table, and
/// adds what the rows mean.
public protocol TableBacked: MapValue, DeltaMergeable, BytesCodable, Hashable
where Version == VersionVector, Delta == TableDelta<Self> {
  /// The rows, and the version of all that was taken in.
  var table: DotTable<RowKey, RowPayload> { get set }

  /// Creates the value that a table's rows read as.
  init(table: DotTable<RowKey, RowPayload>)

  /// Reads the canonical form of a delta's changes.
  ///
  /// Implement it only where the rows have a faster reader than their keys' and payloads'.
  static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta
}

extension TableBacked {
  /// The version of all events that were taken in, removals too.
  ///
  /// - Complexity: O(number of replicas).
  @inlinable
  public var version: VersionVector { table.version }

  /// What the version and all that is held come to: equal for copies that have seen the
  /// same and hold the same, and for no others, whoever made them.
  ///
  /// - Complexity: O(size of the value) at first. What is found stays with the value and its
  ///   copies: after a change it takes O(number of pages of up to 1,024 events), and a few
  ///   dozen digests of some hundred bytes for each row that has come or gone.
  @inlinable
  public var contentDigest: ContentDigest { table.digest }

  /// Replicas that were noticed to have written in two places under one identifier.
  ///
  /// Nothing is lost by that: when both have come here, the events of one of the two
  /// places go by another identifier from where they part, and so they do everywhere.
  /// Whoever writes as one of these goes on under a new identifier. So does whoever finds
  /// more events of their own identifier in ``version`` than they have made.
  public var forks: [ReplicaID] { table.forks.map(\.replica).sorted() }

  /// Takes in all that another copy knows.
  ///
  /// What either side added stays, unless the other had seen it and removed it. Where a
  /// replica has written in two places, that is mended, and noted in ``forks``.
  ///
  /// - Complexity: O(pages of up to 1,024 events in both), and O(rows) of the pages
  ///   whose rows' fates differ; pages that only the other copy has are shared.
  @inlinable
  public mutating func merge(_ other: Self) {
    table.merge(other.table)
  }

  /// Takes in all that another copy knows, unless a replica has written in two
  /// places; says whether there was anything new in it.
  ///
  /// - Complexity: As ``merge(_:)``.
  /// - Throws: ``DeltaError/fork(_:)``, and then nothing has changed.
  @inlinable
  @discardableResult
  public mutating func merge(checking other: Self) throws(DeltaError) -> Bool {
    if let replica = table.fork(from: other.table) { throw .fork(replica) }
    if table.contains(other.version) { return false }
    table.merge(other.table)
    return true
  }

  /// What this copy knows and the version does not.
  ///
  /// - Complexity: O(number of replicas + what is new).
  @inlinable
  public func delta(since version: VersionVector) -> TableDelta<Self> {
    TableDelta(table.delta(since: version))
  }

  /// Takes in a delta; says whether there was anything new in it.
  ///
  /// - Complexity: O(number of replicas + what is new in the delta).
  /// - Throws: ``DeltaError/gap(missing:)`` where the delta builds on events that
  ///   were not seen here, ``DeltaError/fork(_:)`` where two places have written
  ///   under one identifier; nothing has changed then.
  @inlinable
  @discardableResult
  public mutating func apply(_ delta: TableDelta<Self>) throws(DeltaError) -> Bool {
    try table.apply(delta.changes)
  }

  /// Takes in a delta, and mends where replicas have written in two places; says whether
  /// there was anything new in it.
  ///
  /// For that the delta must bring all events of such a replica: make it for the version
  /// without the replica, `version[replica] = 0`. What is mended is in ``forks``.
  ///
  /// - Complexity: As ``apply(_:)``; where something is mended, O(rows).
  /// - Throws: As ``apply(_:)``; ``DeltaError/fork(_:)`` where it doesn't bring all
  ///   events of the replica.
  @inlinable
  @discardableResult
  public mutating func apply(mending delta: TableDelta<Self>) throws(DeltaError) -> Bool {
    try table.apply(delta.changes, mending: []).isNew
  }

  /// Says whether a delta can be taken in, without taking it in.
  ///
  /// - Complexity: O(number of replicas).
  /// - Throws: What ``apply(_:)`` would.
  @inlinable
  public func check(_ delta: TableDelta<Self>) throws(DeltaError) {
    try table.check(delta.changes)
  }

  /// Makes changes as a replica, and gives the delta of them all.
  ///
  ///     let delta = list.edit(by: phone) {
  ///       $0.insert("bread")
  ///       $0.remove("tea")
  ///     }
  ///
  /// Each change takes effect at once. What the body returns is passed over. If it
  /// throws, what it did before stays done; ``DeltaMergeable/delta(since:)`` gives it.
  ///
  /// - Complexity: O(number of replicas + what the body does).
  @inlinable
  @discardableResult
  public mutating func edit<Result>(
    by replica: ReplicaID, _ body: (inout Editor<Self>) throws -> Result
  ) rethrows -> TableDelta<Self> {
    let before = table.version
    _ = try withEditor(by: replica, body)
    return TableDelta(table.editDelta(since: before, by: replica))
  }

  /// Runs the body on an editor, without making a delta.
  @inlinable
  mutating func withEditor<Result>(
    by replica: ReplicaID, _ body: (inout Editor<Self>) throws -> Result
  ) rethrows -> Result {
    // The scope alone holds the table meanwhile, so changes are made in place.
    let scope = TableScope(table, replica: replica)
    table = DotTable()
    defer { table = scope.table }
    var editor = Editor<Self>(scope)
    return try body(&editor)
  }
}

extension TableBacked {
  /// Reads the rows as their keys and payloads are read.
  @inlinable
  public static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta {
    try DotTable.Delta(from: &reader)
  }

  /// Writes the table's canonical form.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    table.encode(to: &writer)
  }

  /// Reads a table's canonical form.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(table: try DotTable(from: &reader))
  }

  /// Takes in an encoded state.
  ///
  /// The versions are read first: of what is already known, the rest is skipped.
  ///
  /// - Parameters:
  ///   - bytes: What `encoded()` gave.
  ///   - memoryBytesMax: How much memory what they hold may take by itself.
  /// - Returns: Whether there was anything new.
  /// - Throws: ``DeltaError/malformed(_:)`` or ``DeltaError/fork(_:)``; nothing
  ///   has changed then.
  @inlinable
  @discardableResult
  public mutating func merge(
    decoding bytes: [UInt8], memoryBytesMax: Int = .max
  ) throws(DeltaError) -> Bool {
    let heads = try DeltaError.wrap { () throws(DecodingFailure) in
      var reader = try BinaryFormat.openBody(of: bytes, typeCode: Self.typeCode)
      return try ColumnHeads(stateFrom: &reader, skims: true)
    }
    if table.comesTo(heads) { return false }
    let other = try DeltaError.wrap { () throws(DecodingFailure) in
      try Self(decoding: bytes, memoryBytesMax: memoryBytesMax)
    }
    return try merge(checking: other)
  }

  /// Takes in an encoded delta.
  ///
  /// The versions are read first: of what is already known, the rest is skipped.
  ///
  /// - Parameters:
  ///   - bytes: What `encoded()` gave.
  ///   - memoryBytesMax: How much memory what they hold may take by itself.
  /// - Returns: Whether there was anything new.
  /// - Throws: ``DeltaError``; nothing has changed then.
  @inlinable
  @discardableResult
  public mutating func apply(
    decoding bytes: [UInt8], memoryBytesMax: Int = .max
  ) throws(DeltaError) -> Bool {
    let heads = try DeltaError.wrap { () throws(DecodingFailure) in
      let code = TableDelta<Self>.typeCode
      var reader = try BinaryFormat.openBody(of: bytes, typeCode: code)
      return try ColumnHeads(deltaFrom: &reader)
    }
    if try table.hasSeen(heads, in: bytes) { return false }
    let delta = try DeltaError.wrap { () throws(DecodingFailure) in
      try TableDelta<Self>(decoding: bytes, memoryBytesMax: memoryBytesMax)
    }
    return try apply(delta)
  }
}
