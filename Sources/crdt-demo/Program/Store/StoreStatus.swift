import CRDTKit
import CRDTStore
import Toolkit

/// What a store holds, and what its peers lack.
struct StoreStatus {
  /// One collection.
  struct Row {
    var collection: String
    var records = 0
    var deleted = 0
    /// How many records, deleted ones too, show something that a peer isn't known
    /// to have.
    var pending = 0
    /// How many fields hold values that were written concurrently, and that
    /// somebody has to choose from.
    var conflicts = 0
  }

  /// A replica that the store has exchanged with.
  struct Peer {
    var replica: ReplicaID
    /// How many changes the store holds that the peer isn't known to have.
    var missing: UInt64
    /// The time of the last contact, in milliseconds since 1970.
    var lastContact: UInt64
  }

  /// How many records were purged while somebody edited them.
  var orphaned = 0
  /// The collections in the order of their names.
  var rows: [Row]
  var replica: ReplicaID
  /// The document that the store has a copy of; `nil` where it has none yet.
  var document: DocumentID?
  var peers: [Peer]
  var files: Store.Statistics
  /// The time, in milliseconds since 1970.
  var now: UInt64
}

extension StoreStatus {
  /// Looks at a store.
  ///
  /// - Complexity: O(rows).
  init(of store: Store, milliseconds now: UInt64) {
    let (document, records) = (store.document, store.peers)
    self.now = now
    replica = store.replica
    self.document = store.documentID
    files = store.statistics
    peers = records.map { peer in
      // A peer may have claimed any number of events, so the sum may wrap.
      let missing = document.version.reduce(0) { sum, entry in
        sum &+ entry.counter - min(entry.counter, peer.version[entry.replica])
      }
      return Peer(
        replica: peer.replica, missing: missing, lastContact: peer.lastContactMilliseconds)
    }
    orphaned = document.orphanedRecords.count
    let pending = Self.recordsPending(in: document, for: records)
    let conflicts = Dictionary(grouping: document.conflicts, by: \.collection)
    rows = document.collectionsEverUsed.map { name in
      Row(
        collection: name, records: document.records(in: name).count,
        deleted: document.deletedRecords(in: name).count, pending: pending[name] ?? 0,
        conflicts: conflicts[name]?.count ?? 0)
    }
    rows.removeAll { $0.records + $0.deleted == 0 }
  }

  /// The time of the last contact with a peer; `nil` if there never was one.
  var lastSync: UInt64? { peers.map(\.lastContact).max() }

  /// How many records of each collection have rows that one of the peers isn't known
  /// to have.
  private static func recordsPending(
    in document: Document, for peers: [PeerRecord]
  ) -> [String: Int] {
    let versions = peers.map(\.version).filter { !$0.contains(document.version) }
    guard !versions.isEmpty else { return [:] }
    var records: Set<Document.RecordID> = []
    document._table.forEachRow { dot, row in
      guard versions.contains(where: { !$0.contains(dot) }) else { return }
      records.insert(row.key.record)
    }
    return Dictionary(grouping: records, by: \.collection).mapValues { records in
      records.count {
        document.contains($0.record, in: $0.collection)
          || document.deletion(of: $0.record, in: $0.collection) != nil
      }
    }
  }

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
