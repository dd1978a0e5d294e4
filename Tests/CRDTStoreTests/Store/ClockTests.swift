import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("The clock of a store")
struct ClockTests {
  private let files = SimulatedFileSystem()
  private let clock = ManualClock()

  private func open(_ replica: UInt64 = 1, at path: String = "/s") throws -> Store {
    var options = Store.Options()
    options.documentID = TestStores.document
    options.fileSystem = files
    options.clock = clock
    options.compaction = .manual
    options.makeReplica = { ReplicaID(replica) }
    return try Store.open(at: path, options: options)
  }

  @Test("A wall clock that is set back, stands still or runs ahead: later writes win")
  func setBack() throws {
    let tenYears: UInt64 = 10 * 366 * 86_400_000
    let times: [UInt64] = [
      1_700_000_000_000, 1_700_000_000_000 - tenYears, 0, 1_700_000_000_000 - tenYears,
      1_700_000_000_000 + tenYears, 5, .max, 1,
    ]
    var last: HybridTimestamp?
    for (number, time) in times.enumerated() {
      clock.milliseconds = time
      let store = try open()
      for step in 0..<3 {
        let value = Document.Value.int(Int64(10 * number + step))
        try store.edit(step == 1 ? .relaxed : .full) { edit in
          #expect(last.map { $0 < edit.timestamp } ?? true, "at \(time)")
          last = edit.timestamp
          edit.set("title", of: "r", in: "c", to: value)
        }
        #expect(store.document.value(of: "title", of: "r", in: "c") == value)
      }
      if number % 2 == 1 { try store.compact() }
      try store.close()
    }
  }

  @Test("The clock goes on after a delta from elsewhere, over a restart and a compaction")
  func received() throws {
    for compacts in [false, true] {
      let path = compacts ? "/a" : "/b"
      let store = try open(at: path)
      var other = Document()
      let stamp = HybridTimestamp(
        milliseconds: clock.milliseconds + 200_000, logical: 7, replica: ReplicaID(2))
      let delta = other.edit(at: stamp) { $0.set("title", of: "r", in: "c", to: "theirs") }
      try store.apply(delta)
      if compacts { try store.compact() }
      try store.close()
      clock.milliseconds = 3
      let again = try open(at: path)
      try again.edit { $0.set("title", of: "r", in: "c", to: "mine") }
      #expect(again.document.value(of: "title", of: "r", in: "c") == "mine")
      try again.close()
      clock.milliseconds = 1_700_000_000_000
    }
  }

  @Test("A stamp from the far future is refused, and nothing has changed")
  func farFuture() throws {
    let store = try open()
    try store.edit { $0.set("title", of: "r", in: "c", to: "mine") }
    let before = store.document
    let calls = files.callCount
    var other = before
    let stamp = HybridTimestamp(
      milliseconds: clock.milliseconds + 300_001, replica: ReplicaID(2))
    let delta = other.edit(at: stamp) { $0.set("title", of: "r", in: "c", to: "theirs") }
    #expect {
      try store.apply(delta)
    } throws: { error in
      guard case .clockDrift(let drift)? = error as? StoreError else { return false }
      return drift.stamp == stamp && "\(error)".contains("ahead of the clock")
    }
    #expect(store.document == before)
    #expect(files.callCount == calls, "nothing was written")
    // In a session the peer is told, and the store's own news still reach it.
    var peer = PeerSession<Document>(replica: ReplicaID(2))
    let session = store.session()
    var failures: [SyncFailure] = []
    var incoming: [UInt8] = []
    for case .send(let bytes) in peer.connect(other) { incoming += bytes }
    var actions = try session.connect()
    for _ in 0..<10 {
      for action in actions {
        switch action {
        case .send(let bytes):
          for case .send(let answer) in peer.receive(bytes, into: &other) { incoming += answer }
        case .close(let failure): failures.append(failure)
        }
      }
      actions = try session.receive(incoming)
      incoming = []
    }
    session.disconnect()
    guard case .refused(let reason)? = failures.first else {
      Issue.record("the session went on: \(failures)")
      return
    }
    #expect(reason.contains("ahead of the clock"))
    #expect(store.document == before)
    try store.edit { edit in
      #expect(edit.timestamp.milliseconds < stamp.milliseconds, "the clock was carried along")
      edit.set("title", of: "r", in: "c", to: "still mine")
    }
    try store.close()
    let again = try open()
    #expect(again.document.value(of: "title", of: "r", in: "c") == "still mine")
    try again.close()
  }
}
