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
        (status.lastSyncedMilliseconds ?? lastContact).map { age(of: $0, at: now) } ?? "never",
      ]
    }
    return table
  }

  /// How long ago a moment was.
  static func age(of moment: UInt64, at now: UInt64) -> String {
    let seconds = (now - min(moment, now)) / 1_000
    return switch seconds {
    case 0: "now"
    case ..<60: "\(seconds) s ago"
    case ..<3_600: "\(seconds / 60) min ago"
    case ..<172_800: "\(seconds / 3_600) h ago"
    default: "\((seconds / 86_400).counted("day")) ago"
    }
  }
}
