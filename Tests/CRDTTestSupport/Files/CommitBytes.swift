import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// What a commit makes a store write that has met many peers, beyond what the same commit
/// makes one write that has met none.
package struct CommitBytes: Sendable {
  /// Other stores that have a record each, and are in sync.
  package var peers = 0
  /// Peers that only greet, as having seen events of many replicas.
  package var strangers = 0
  package var headsEach = 0

  package init(peers: Int = 0, strangers: Int = 0, headsEach: Int = 0) {
    self.peers = peers
    self.strangers = strangers
    self.headsEach = headsEach
  }

  /// The bytes beyond the commit's own, by when it is made.
  package func measured() throws -> [(when: String, bytes: Int)] {
    let (busy, alone) = (Meeting(), Meeting())
    try busy.meet(self)
    try alone.commit()
    return try zip(busy.figures(), alone.figures()).map { busy, alone in
      (busy.when, busy.bytes - alone.bytes)
    }
  }
}

/// A store, and those whom it has met.
private final class Meeting {
  private let files = SimulatedFileSystem()
  private var number: Int64 = 0

  private func open(_ path: String = "/store") throws -> Store {
    var options = Store.Options()
    options.fileSystem = files
    options.documentID = DocumentID(high: 7, low: 7)
    return try Store.open(at: path, options: options)
  }

  private func commit(to store: Store) throws {
    number += 1
    try store.edit { $0.set("f", of: "mine", in: "c", to: .int(1_000 + number)) }
  }

  func commit() throws {
    let store = try open()
    try commit(to: store)
    try store.close()
  }

  func meet(_ meeting: CommitBytes) throws {
    try commit()
    let store = try open()
    for number in 0..<meeting.peers {
      let peer = try open("/peer \(number)")
      try peer.edit { $0.set("f", of: "r\(number)", in: "c", to: .int(1)) }
      _ = try store.sync(with: .store(peer))
      try peer.close()
    }
    for number in 0..<meeting.strangers { try greet(store, as: number, meeting.headsEach) }
    try store.close()
  }

  /// A stranger says what it has seen, and is gone.
  private func greet(_ store: Store, as stranger: Int, _ heads: Int) throws {
    let base = UInt64(stranger + 1) << 32
    var seen = Document()
    // Each has made one event, which was removed since.
    for number in 0..<UInt64(heads) {
      seen._table.columns.append(.init(replica: ReplicaID(base + number), seen: 1, fingerprint: 7))
    }
    var theirs = PeerSession<Document>(replica: ReplicaID(base))
    let session = store.session()
    _ = try session.connect()
    for case .send(let bytes) in theirs.connect(seen) { _ = try session.receive(bytes) }
    session.disconnect()
  }

  /// The bytes of the first commit of a process, of the next one, and of closing the store.
  ///
  /// Opening is left out: it writes the last frame anew, whatever is in it.
  func figures() throws -> [(when: String, bytes: Int)] {
    let store = try open()
    var figures: [(when: String, bytes: Int)] = []
    var before = writtenBytes
    func note(_ when: String) {
      figures.append((when, writtenBytes - before))
      before = writtenBytes
    }
    try commit(to: store)
    note("committed first")
    try commit(to: store)
    note("committed next")
    try store.close()
    note("closed")
    return figures
  }

  /// All that was ever written to files.
  private var writtenBytes: Int {
    files.calls.reduce(0) { $0 + ($1.kind == .write ? $1.size : 0) }
  }
}
