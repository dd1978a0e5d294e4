/// A version with what tells its events from those of other lines: of each replica the
/// fingerprint and the last stretch, as greetings have them.
package struct VersionHeads: Sendable {
  fileprivate let heads: ContiguousArray<ColumnHeads.Head>

  package init<Value: TableBacked>(of value: Value) {
    heads = value.table.heads.heads
  }
}

extension VersionHeads {
  /// The version.
  package var version: VersionVector { ColumnHeads(heads).version }

  /// Whether all new events of a delta are those that the heads tell of.
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
  /// The replicas under whose names a version has other events than were seen here.
  ///
  /// - Complexity: O(number of replicas).
  package func forks(from heads: VersionHeads) -> [ReplicaID] {
    table.forks(from: ColumnHeads(heads.heads))
  }

  /// The replicas under whose names somebody had events of format version 1 that weren't made
  /// in it: all that were end where the replica's own store went over to today's.
  ///
  /// - Complexity: O(number of replicas).
  package func forks(fromFormat1 version: VersionVector) -> [ReplicaID] {
    table.columns.filter { $0.seen > $0.origin && version[$0.replica] > $0.origin }
      .map(\.replica)
  }

  /// Whether all events of a replica that a version has were seen here under some name, as
  /// its last stretch tells; `nil` where they are in no stretch.
  ///
  /// - Complexity: O(number of replicas and of stretches that are kept).
  package func hasSeen(lineOf replica: ReplicaID, in heads: VersionHeads) -> Bool? {
    guard let head = heads.heads.first(where: { $0.replica == replica }),
      let last = head.stretches.kept.last
    else { return nil }
    return table.columns.contains { column in
      column.eventCount(of: last) > head.seen - last.first
    }
  }
}

extension Column {
  /// How many events a stretch of some name has here; 0 where it can't be told.
  func eventCount(of stretch: Stretches.Stretch) -> UInt64 {
    stretches.kept.firstIndex { $0.name == stretch.name }.map { eventCount(at: $0) } ?? 0
  }

  /// How many events the stretch in a place among those that are kept has here; 0 where it
  /// can't be told.
  func eventCount(at place: Int) -> UInt64 {
    let kept = stretches.kept
    let stretch = kept[place]
    if stretch.number == stretches.count { return seen - stretch.first + 1 }
    guard place + 1 < kept.count, kept[place + 1].number == stretch.number + 1 else { return 0 }
    return kept[place + 1].first - stretch.first
  }
}
