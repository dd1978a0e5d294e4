import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import CRDTStore
@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo store status")
struct StoreStatusTests {
  private static func open(_ path: String, _ replica: UInt64) throws -> Store {
    var options = Store.Options.standard
    options.makeReplica = { ReplicaID(replica) }
    options.documentID = DocumentID(high: 0, low: 7)
    options.clock = ManualClock(milliseconds: 1_000_000_000)
    let notes = Schema.Collection(fields: ["body": .manual])
    return try Store.open(
      at: path, schema: Schema(collections: ["notes": notes]), options: options)
  }

  /// Lets two stores exchange all they have.
  private static func exchange(_ left: Store, _ right: Store) throws {
    let sessions = [left.session(), right.session()]
    var waiting = try sessions.map { try $0.connect() }
    while let place = waiting.firstIndex(where: { !$0.isEmpty }) {
      let actions = waiting[place]
      waiting[place] = []
      for action in actions {
        guard case .send(let bytes) = action else {
          Issue.record("\(action)")
          return
        }
        waiting[1 - place] += try sessions[1 - place].receive(bytes)
      }
    }
    for session in sessions { session.disconnect() }
  }

  @Test("counts what peers lack, what is deleted, and what is in conflict")
  func peers() throws {
    let folder = try TemporaryFolder()
    let store = try Self.open("\(folder.path)/a", 0xAA)
    let peer = try Self.open("\(folder.path)/b", 0xBB)
    for record in ["n1", "n2", "n3", "n4"] {
      try store.edit { $0.set("body", of: record, in: "notes", to: "x") }
    }
    try store.edit { $0.set("a", of: "t", in: "tasks", to: 1) }
    try Self.exchange(store, peer)
    try peer.edit { $0.set("body", of: "n4", in: "notes", to: "theirs") }
    try store.edit { $0.set("body", of: "n4", in: "notes", to: "ours") }
    try Self.exchange(store, peer)
    #expect(store.document == peer.document)

    var status = StoreStatus(of: store, milliseconds: 1_000_130_000)
    #expect(status.rows.map(\.pending) == [0, 0] && status.peers.map(\.missing) == [0])
    try store.edit { $0.set("body", of: "n1", in: "notes", to: "y") }
    try store.edit { $0.set("body", of: "n1", in: "notes", to: "z") }
    try store.edit { $0.delete("n2", in: "notes") }
    try store.edit { $0.remove("body", of: "n3", in: "notes") }
    status = StoreStatus(of: store, milliseconds: 1_000_130_000)
    let text = status.text { $1 }
    #expect(
      text.hasPrefix(
        """
        collection  records  deleted  pending  conflicts  last sync
        ─────────────────────────────────────────────────────────────
        notes             3        1        2          1  2 min ago
        tasks             1        0        0          0  2 min ago
        ─────────────────────────────────────────────────────────────
        all               4        1        2          1  2 min ago

        replica    00000000000000aa
        document   00000000000000000000000000000007
        peers      00000000000000bb lacks 4 changes, 2 min ago
        segments   1,
        """.replacing(
          "─────────────────────────────────────────────────────────────",
          with: String(repeating: "─", count: 59))), "\(text)")
    try store.close()
    try peer.close()

    // From the files it is the same.
    let run = try DemoRun.run("store", "status", "--json", "\(folder.path)/a")
    let json = try JSONText(parsing: Array(run.output.utf8)).documentValue()
    guard case .object(let members) = json else {
      Issue.record("no object: \(run.output)")
      return
    }
    let notes: Document.Value = [
      "collection": "notes", "records": 3, "deleted": 1, "pending": 2, "conflicts": 1,
    ]
    let tasks: Document.Value = [
      "collection": "tasks", "records": 1, "deleted": 0, "pending": 0, "conflicts": 0,
    ]
    #expect(members["collections"] == [notes, tasks])
    #expect(members["replica"] == "00000000000000aa")
    #expect(members["lastSync"] == "1970-01-12T13:46:40.000Z")
    #expect(
      members["peers"] == [
        [
          "replica": "00000000000000bb", "missing": 4, "lastContact": "1970-01-12T13:46:40.000Z",
        ]
      ])
    #expect(members["segments"] == 1 && members["snapshots"] == 0)
  }

  @Test("knows nothing of peers where there are none, and shows an empty store")
  func withoutPeers() throws {
    let store = try StoreRun()
    let empty = try store.output("status").split(separator: "\n")
    #expect(empty[0] == "collection  records  deleted  pending  conflicts  last sync")
    #expect(
      empty[2...4] == [
        "replica    00000000000000aa", "document   none yet: that of the first it syncs with",
        "peers      none",
      ])
    _ = try store.output("put", "notes", "n1", "a=1")
    #expect(
      try store.output("status").split(separator: "\n")[2]
        == "notes             1        0        -          0      never")
    let json = try store.output("status", "-j")
    #expect(
      json.hasPrefix(
        #"{"collections":[{"collection":"notes","records":1,"deleted":0,"pending":null,"#
          + #""conflicts":0}],"replica":"00000000000000aa","document":""#))
    #expect(json.contains(#"","lastSync":null,"peers":[],"#))
  }

  @Test("says how long ago a peer was heard of")
  func ages() {
    for (seconds, text) in [
      (0, "now"), (59, "59 s ago"), (60, "1 min ago"), (3_599, "59 min ago"), (3_600, "1 h ago"),
      (172_799, "47 h ago"), (172_800, "2 days ago"), (86_400_000, "1,000 days ago"),
    ] as [(UInt64, String)] {
      let peer = StoreStatus.Peer(replica: ReplicaID(1), missing: 0, lastContact: 5_000)
      let status = StoreStatus(
        rows: [], replica: ReplicaID(2), peers: [peer], files: Store.Statistics(),
        now: 5_000 + seconds * 1_000)
      #expect(status.text { $1 }.contains("peers      0000000000000001 has all, \(text)\n"))
    }
    let ahead = StoreStatus.Peer(replica: ReplicaID(1), missing: 0, lastContact: .max)
    let status = StoreStatus(
      rows: [], replica: ReplicaID(2), peers: [ahead], files: Store.Statistics(), now: 1)
    #expect(status.text { $1 }.contains("has all, now\n"))
    #expect(status.json.description.contains(#""lastSync":"10889-08-02T05:31:50.656Z""#))
  }
}
