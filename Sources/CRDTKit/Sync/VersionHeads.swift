/// A version with what tells its events from those of other lines: of each replica the
/// fingerprint and the last stretch, as greetings have them.
package struct VersionHeads: Sendable {
  private let heads: ColumnHeads

  /// How many events of each replica have been seen.
  package var version: VersionVector { heads.version }

  package init<Value: TableBacked>(of value: Value) {
    heads = value.table.heads
  }
}

extension VersionHeads {
  package func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(heads.heads.count))
    for head in heads.heads {
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
    heads = ColumnHeads(list)
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
    table.forks(from: heads.columnHeads)
  }
}

extension TableBacked {
  /// Whether all events of a replica that a version has were seen here under some name: as
  /// far as its last stretch tells, of which this has as much.
  ///
  /// - Complexity: O(number of replicas and of stretches that are kept).
  package func hasSeen(lineOf replica: ReplicaID, in heads: VersionHeads) -> Bool {
    guard let head = heads.columnHeads.heads.first(where: { $0.replica == replica }),
      let last = head.stretches.kept.last
    else { return false }
    return table.columns.contains { column in
      column.stretches.kept.contains { stretch in
        stretch.nonce == last.nonce && stretch.before == last.before
          && column.seen - stretch.first >= head.seen - last.first
      }
    }
  }
}

extension VersionHeads {
  fileprivate var columnHeads: ColumnHeads { heads }
}
