/// A version with the fingerprint of each column, received in several frames.
struct HeadList: Sendable {
  /// The purpose for which the version was sent.
  enum Purpose: Sendable {
    case hello(PartialTransfer?)
    case again
    case pull
  }

  let purpose: Purpose
  private(set) var missing: Int
  private(set) var heads: ContiguousArray<ColumnHeads.Head> = []

  /// The greatest number of bytes of one head.
  static let headBytesMax = 56

  /// Reads the number of heads, and the first ones.
  init(
    _ purpose: Purpose, from reader: inout ByteReader, maximumReplicas: Int
  ) throws(SyncFailure) {
    self.purpose = purpose
    let count = try SyncFailure.wrap { () throws(DecodingFailure) in try reader.readVarint() }
    guard count <= UInt64(maximumReplicas) else {
      throw .tooManyReplicas(Int(clamping: count), max: maximumReplicas)
    }
    missing = Int(count)
    try SyncFailure.wrap { () throws(DecodingFailure) in try read(&reader) }
  }

  /// Reads more heads, from a frame that must have some.
  mutating func append(_ body: [UInt8]) throws(SyncFailure) {
    guard !body.isEmpty else { throw .violation("a frame without the version it announces") }
    var reader = ByteReader(body)
    try SyncFailure.wrap { () throws(DecodingFailure) in try read(&reader) }
  }

  private mutating func read(_ reader: inout ByteReader) throws(DecodingFailure) {
    while reader.remaining > 0 {
      guard missing > 0 else { throw reader.failure(.trailingBytes) }
      let replica = try reader.readReplica(after: heads.last?.replica)
      heads.append(try ColumnHeads.Head(announcing: replica, from: &reader))
      missing -= 1
    }
  }
}

extension ColumnHeads {
  /// The bodies of the frames for all heads; `begin` writes the start of the first body.
  func bodies(after begin: (inout ByteWriter) -> Void, bytesMax: Int) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    var writer = ByteWriter(capacity: 256)
    begin(&writer)
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      if writer.count + HeadList.headBytesMax > bytesMax {
        bodies.append(writer.finish())
        writer = ByteWriter(capacity: 256)
      }
      head.replica.encode(to: &writer)
      head.announce(to: &writer)
    }
    bodies.append(writer.finish())
    return bodies
  }

  /// The version without fingerprints.
  @usableFromInline
  var version: VersionVector {
    VersionVector(
      sortedEntries: ContiguousArray(heads.map { VersionVector.Entry($0.replica, $0.seen) }))
  }
}

extension ColumnHeads.Head {
  /// Writes the number of events, their fingerprint, and the last stretch in which they
  /// were made.
  func announce(to writer: inout ByteWriter) {
    let isPlain = origin == 0 && stretches.isEmpty
    writer.write(varint: seen << 1 | (isPlain ? 0 : 1))
    if !isPlain {
      writer.write(varint: origin)
      stretches.part(after: seen).encode(to: &writer)
    }
    writer.write(fixed: fingerprint)
  }

  /// Reads the head of a replica's events.
  init(announcing replica: ReplicaID, from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let word = try reader.readVarint()
    let seen = word >> 1
    guard seen > 0, seen <= Dot.counterMax else {
      throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
    }
    var origin: UInt64 = 0
    var stretches = Stretches()
    if word & 1 == 1 {
      origin = try reader.readVarint()
      stretches = try Stretches(from: &reader, after: seen, upTo: seen)
      guard origin <= seen, stretches.kept.count <= 1, origin > 0 || !stretches.isEmpty else {
        throw DecodingFailure(.notCanonical("what is announced of a replica"), at: start)
      }
      if let last = stretches.kept.last { stretches = Stretches(announcing: last) }
    }
    self.init(
      replica: replica, base: 0, seen: seen,
      fingerprint: try reader.readFixed(UInt32.self), origin: origin, stretches: stretches)
  }
}

/// A version that tells its events from those of other lines: it has each replica's
/// fingerprint and last stretch.
package struct VersionHeads: Sendable {
  fileprivate let heads: ContiguousArray<ColumnHeads.Head>

  package init<Value: TableBacked>(of value: Value) {
    heads = value._table.heads.heads
  }
}

extension VersionHeads {
  /// The version.
  package var version: VersionVector { ColumnHeads(heads).version }

  /// Whether the heads cover exactly the new events of a delta.
  ///
  /// - Complexity: O(number of replicas).
  package func agree<Value>(with delta: TableDelta<Value>) -> Bool {
    // Both are in ascending order.
    var rest = heads[...]
    return delta.changes.columns.allSatisfy { column in
      guard column.seen > delta.base[column.replica] else { return true }
      rest = rest.drop { $0.replica < column.replica }
      guard let head = rest.first, head.replica == column.replica else { return false }
      return head.seen == column.seen && head.fingerprint == column.fingerprint
        && head.origin == column.origin
        && head.stretches.kept.last == column.stretches.last(upTo: column.seen)
    }
  }

  package func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(heads.count))
    for head in heads {
      head.replica.encode(to: &writer)
      head.announce(to: &writer)
    }
  }

  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    let count = try reader.readCount(of: "replicas")
    var list: ContiguousArray<ColumnHeads.Head> = []
    for _ in 0..<count {
      let replica = try reader.readReplica(after: list.last?.replica)
      list.append(try ColumnHeads.Head(announcing: replica, from: &reader))
    }
    heads = list
  }
}

extension VersionHeads: Equatable {
  package static func == (left: VersionHeads, right: VersionHeads) -> Bool {
    left.bytes == right.bytes
  }

  private var bytes: [UInt8] {
    var writer = ByteWriter()
    encode(to: &writer)
    return writer.finish()
  }
}

extension TableBacked {
  /// The replicas for which a version has other events than those seen here.
  ///
  /// - Complexity: O(number of replicas).
  package func forks(from heads: VersionHeads) -> [ReplicaID] {
    _table.forks(from: ColumnHeads(heads.heads))
  }

  /// The replicas with events in a version of format 1 that were not made in format 1.
  ///
  /// All events that were made in it end where the replica's own store changed to today's
  /// format.
  ///
  /// - Complexity: O(number of replicas).
  package func forks(fromFormat1 version: VersionVector) -> [ReplicaID] {
    _table.columns.filter { $0.seen > $0.origin && version[$0.replica] > $0.origin }
      .map(\.replica)
  }

  /// Whether all of a replica's events in a version were seen here under some name, as
  /// its last stretch shows; `nil` if they are in no stretch.
  ///
  /// - Complexity: O(number of replicas and of kept stretches).
  package func hasSeen(lineOf replica: ReplicaID, in heads: VersionHeads) -> Bool? {
    guard let head = heads.heads.first(where: { $0.replica == replica }),
      let last = head.stretches.kept.last
    else { return nil }
    return _table.columns.contains { column in
      column.eventCount(of: last) > head.seen - last.first
    }
  }
}

extension Column {
  /// The number of events that a stretch of some name has here; 0 if unknown.
  func eventCount(of stretch: Stretches.Stretch) -> UInt64 {
    stretches.kept.firstIndex { $0.name == stretch.name }.map { eventCount(at: $0) } ?? 0
  }

  /// The number of events that the kept stretch at an index has here; 0 if unknown.
  func eventCount(at place: Int) -> UInt64 {
    let kept = stretches.kept
    let stretch = kept[place]
    if stretch.number == stretches.count { return seen - stretch.first + 1 }
    guard place + 1 < kept.count, kept[place + 1].number == stretch.number + 1 else { return 0 }
    return kept[place + 1].first - stretch.first
  }
}
