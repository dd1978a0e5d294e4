import CRDTStore

/// How the collections stand, as people read it.
enum NotesStatus {
  static func table(
    _ statuses: [CollectionStatus], _ peers: [PeerRecord], at now: UInt64
  ) -> TextTable {
    var table = TextTable(header: [
      ["entity", "local", "server", "pending", "conflicts", "failed", "last sync"]
    ])
    let lastContact = peers.map(\.lastContactMilliseconds).max()
    table.rows = statuses.map { status in
      [
        status.collection.shownAsName, status.localCount.grouped,
        status.serverCount?.grouped ?? "-", status.pendingCount.grouped,
        status.conflictCount.grouped, status.failedCount.grouped,
        (status.lastSyncedMilliseconds ?? lastContact).map { $0.age(at: now) } ?? "never",
      ]
    }
    return table
  }
}
