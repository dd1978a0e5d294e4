import CRDTKit
import CRDTStore

extension StoreStatus {
  /// The status for machines; what isn't known is `null`.
  var json: JSONValue {
    .object([
      ("collections", .array(rows.map(json))),
      ("replica", .string(replica.description)),
      ("document", document.map { .string($0.description) } ?? .null),
      ("lastSync", lastSync.map { .string($0.momentText) } ?? .null),
      ("peers", .array(peers.map(Self.json))),
      ("orphaned", .integer(orphaned)),
      ("segments", .integer(files.segments)), ("segmentBytes", .integer(files.segmentBytes)),
      ("snapshots", .integer(files.snapshots)), ("snapshotBytes", .integer(files.snapshotBytes)),
    ])
  }

  private func json(of row: Row) -> JSONValue {
    .object([
      ("collection", .string(row.collection)), ("records", .integer(row.records)),
      ("deleted", .integer(row.deleted)),
      ("pending", peers.isEmpty ? .null : .integer(row.pending)),
      ("conflicts", .integer(row.conflicts)),
    ])
  }

  private static func json(of peer: Peer) -> JSONValue {
    .object([
      ("replica", .string(peer.replica.description)), ("missing", .unsigned(peer.missing)),
      ("lastContact", .string(peer.lastContact.momentText)),
    ])
  }
}
