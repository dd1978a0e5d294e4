import CRDTKit
import CRDTStore

extension StoreStatus {
  /// The status as people read it.
  func text(styled style: (TextStyle, String) -> String) -> String {
    let count = { (number: Int, bytes: Int) in "\(number.grouped), \(bytes.counted("byte"))" }
    return table.lines(styled: style) + "\nreplica    \(replica)\n" + documentLine + peerLines
      + orphanLine
      + "segments   \(count(files.segments, files.segmentBytes))\n"
      + "snapshots  \(count(files.snapshots, files.snapshotBytes))\n"
  }

  private var table: TextTable {
    var table = TextTable(header: [
      ["collection", "records", "deleted", "pending", "conflicts", "last sync"]
    ])
    table.rows = rows.map { row(of: $0, named: $0.collection.shownAsName) }
    if rows.count > 1 {
      var sum = Row(collection: "")
      for row in rows {
        sum.records += row.records
        sum.deleted += row.deleted
        sum.pending += row.pending
        sum.conflicts += row.conflicts
      }
      table.footer = row(of: sum, named: "all")
    }
    return table
  }

  private func row(of row: Row, named name: String) -> [String] {
    [
      name, row.records.grouped, row.deleted.grouped, peers.isEmpty ? "-" : row.pending.grouped,
      row.conflicts.grouped, lastSync.map { $0.age(at: now) } ?? "never",
    ]
  }

  private var documentLine: String {
    "document   \(document?.description ?? "none yet: that of the first it syncs with")\n"
  }

  private var orphanLine: String {
    orphaned == 0 ? "" : "orphaned   \(orphaned.counted("record")), to restore or to discard\n"
  }

  private var peerLines: String {
    guard !peers.isEmpty else { return "peers      none\n" }
    return peers.enumerated().map { place, peer in
      let lacks = peer.missing == 0 ? "has all" : "lacks \(peer.missing.counted("change"))"
      return (place == 0 ? "peers      " : "           ")
        + "\(peer.replica) \(lacks), \(peer.lastContact.age(at: now))\n"
    }.joined()
  }
}
