import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("Sessions of stores")
struct StoreSessionTests {
  let stores = TestStores()

  @Test("Two stores come to hold the same, and still do after they are opened again")
  func exchanging() throws {
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    for number in 0..<20 {
      try left.put(.int(Int64(number)), of: "l\(number)")
      try right.put(.int(Int64(number)), of: "r\(number)")
    }
    try exchange(left.session(), right.session())
    #expect(left.document == right.document)
    #expect(left.document.records(in: "c").count == 40)
    #expect(left.peers.map(\.replica) == [right.replica])
    let document = left.document
    try left.close()
    try right.close()
    #expect(try stores.open("/left").document == document)
    #expect(try stores.open("/right").document == document)
  }

  @Test("Peers are listed once each, in the order of their replicas, whoever came first")
  func orderOfPeers() throws {
    let store = try stores.open("/store")
    let peers = try (0..<4).map { try stores.open("/peer \($0)") }
    for place in [2, 0, 3, 1, 2] {
      let session = store.session()
      try exchange(session, peers[place].session())
      session.disconnect()
    }
    let replicas = peers.map(\.replica).sorted()
    #expect(store.peers.map(\.replica) == replicas)
    try store.close()
    #expect(try stores.open("/store").peers.map(\.replica) == replicas)
  }

  @Test("A stream that leads back to the store has nothing of it")
  func echo() throws {
    var store = try stores.open("/store")
    try store.put(1, of: "a")
    for _ in 0..<2 {
      try store.close()
      store = try stores.open("/store")
      let session = store.session()
      var bytes = try session.connect().bytes
      for _ in 0..<100 where !bytes.isEmpty { bytes = try session.receive(bytes).bytes }
      #expect(bytes.isEmpty, "it ends")
      session.disconnect()
      #expect(store.peers.isEmpty)
    }
    let peer = try stores.open("/peer")
    try exchange(store.session(), peer.session())
    #expect(store.peers.map(\.replica) == [peer.replica])
    #expect(peer.document == store.document)
  }

  @Test("A copy of the store is a peer once it brings something new")
  func copyWithNews() throws {
    for hasNews in [false, true] {
      let store = try stores.open("/store \(hasNews)")
      try store.put(1, of: "a")
      var document = store.document
      if hasNews {
        document.edit(at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(77))) {
          $0.set("x", of: "b", in: "c", to: 1)
        }
      }
      let session = store.session()
      var copy = PeerSession<Document>(replica: store.replica)
      var toStore = copy.connect(document)
      var toCopy = try session.connect().bytes
      while !toStore.isEmpty || !toCopy.isEmpty {
        var bytes: [UInt8] = []
        for case .send(let part) in toStore { bytes += part }
        toStore = toCopy.isEmpty ? [] : copy.receive(toCopy, into: &document)
        toCopy = bytes.isEmpty ? [] : try session.receive(bytes).bytes
      }
      session.disconnect()
      #expect(store.document == document)
      #expect(store.peers.count == (hasNews ? 1 : 0))
      try store.close()
      #expect(try stores.open("/store \(hasNews)").peers.count == (hasNews ? 1 : 0))
    }
  }

  @Test("What peers say costs who commits nothing, and who hears of one the peer alone")
  func bytesForPeers() throws {
    var store = try stores.open("/store")
    var peers: [Store] = []
    for number in 0..<40 as Range<Int64> {
      let peer = try stores.open("/peer \(number)")
      try peer.put(.int(number), of: "r\(number)")
      try exchange(store.session(), peer.session())
      peers.append(peer)
    }
    func size() -> Int {
      stores.files.seenImage.files.filter { $0.key.hasPrefix("/store/segments") }
        .reduce(0) { $0 + $1.value.count }
    }
    // One who was in touch again is noted when the store is closed.
    try exchange(store.session(), peers[3].session())
    try store.close()
    for isFirst in [true, false] {
      store = try stores.open("/store")
      // The first change says after which events it was made, of all replicas.
      try store.put(1, of: "mine")
      let before = size()
      try store.put(2, of: "mine")
      if isFirst { try exchange(store.session(), peers[5].session()) }
      try store.close()
      #expect(size() - before < (isFirst ? 1_000 : 150), "\(size() - before)")
    }
    #expect(try stores.open("/store").peers.count == 40)
  }

  @Test(
    "What peers have said is not written with each commit",
    arguments: [CommitBytes(peers: 80), CommitBytes(strangers: 12, headsEach: 500)])
  func bytesOfCommits(meeting: CommitBytes) throws {
    for (when, bytes) in try meeting.measured() {
      #expect(bytes <= 1_000, "\(when)")
    }
  }

  @Test("Of more peers than are kept, the one not heard of for longest is forgotten")
  func manyPeers() throws {
    var identity = StoreIdentity(replica: ReplicaID(1), home: 0)
    for number in 0..<3_000 as Range<UInt64> {
      let replica = ReplicaID(number &* 0x9E37_79B9_7F4A_7C15 | 1)
      let peer = PeerRecord(
        replica: replica, version: [:], lastContactMilliseconds: number)
      let forgotten = identity.note(peer)
      #expect((forgotten == nil) == (number < UInt64(StoreIdentity.peersMax)))
    }
    let contacts = identity.peers.map(\.lastContactMilliseconds).sorted()
    #expect(contacts == Array(3_000 - UInt64(StoreIdentity.peersMax)..<3_000))
    #expect(identity.peers.map(\.replica) == identity.peers.map(\.replica).sorted())
  }

  @Test("Nothing is sent that a crash could take back")
  func nothingUnsafeIsSent() throws {
    let store = try stores.open()
    try store.edit(.relaxed) { $0.create("r", in: "c") }
    let session = store.session()
    _ = try session.connect()
    #expect(store.statistics.pendingCommits == 0)
  }

  @Test("Nor where a task waits")
  func nothingUnsafeIsSentByTasks() async throws {
    let store = try await stores.openForTasks()
    try await store.edit(.relaxed) { $0.create("r", in: "c") }
    let session = store.session()
    _ = try await session.connect()
    #expect(store.statistics.pendingCommits == 0)
  }

  @Test("What a peer teaches is durable before it is acknowledged")
  func learnedIsDurable() throws {
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    try left.put("news")
    let (teacher, learner) = (left.session(), right.session())
    let hello = try learner.connect().bytes
    _ = try learner.receive(try teacher.connect().bytes)
    let news = try teacher.receive(hello).bytes
    stores.files.schedule(DiskFault(.fails(5), kind: .synchronize, isForever: true))
    #expect(throws: StoreError.self) { try learner.receive(news) }
  }

  @Test("Of changes that come in one piece, all are kept, and in the order they were made in")
  func piecesOfManyChanges() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20 {
      let stores = TestStores()
      let store = try stores.open()
      let session = store.session()
      var (peer, there) = (PeerSession<Document>(replica: ReplicaID(7)), Document())
      var toStore = peer.connect(there)
      var toPeer = try session.connect()
      func exchange() throws {
        while !toStore.isEmpty || !toPeer.isEmpty {
          var piece: [UInt8] = []
          for case .send(let bytes) in toStore { piece += bytes }
          let answer = toPeer.bytes
          toPeer = piece.isEmpty ? [] : try session.receive(piece)
          toStore = answer.isEmpty ? [] : peer.receive(answer, into: &there)
        }
      }
      try exchange()
      var model: [String: Int64] = [:]
      for number in 1...30 as ClosedRange<Int64> {
        let record = "r\(Int.random(in: 0..<5, using: &random))"
        let stamp = HybridTimestamp(
          milliseconds: stores.clock.milliseconds + UInt64(number), replica: ReplicaID(7))
        there.edit(at: stamp) { $0.set("value", of: record, in: "c", to: .int(number)) }
        model[record] = number
        toStore += peer.flush(there)
        guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
        try store.put(.int(number), of: "here")
        toPeer += try session.flush()
        try exchange()
      }
      try exchange()
      try store.close()
      let document = try stores.open().document
      #expect(document == there)
      for (record, value) in model {
        #expect(document.value(of: "value", of: record, in: "c") == .int(value))
      }
    }
  }

  @Test("A peer that was away gets what was removed from old segments, not a list of all")
  func history() throws {
    let store = try stores.open("/store") { $0.segmentBytes = 1 << 14 }
    try store.edit { edit in
      for number in 0..<6_000 { edit.set("value", of: "r\(number)", in: "c", to: .int(0)) }
    }
    let peer = try stores.open("/peer")
    let (there, here) = (peer.session(), store.session())
    try exchange(here, there)
    here.disconnect()
    there.disconnect()
    // What a snapshot was read from remembers no removals.
    for part in 0..<3 {
      try store.edit { edit in
        for number in 0..<1_000 {
          edit.set("value", of: "r\(part * 1_000 + number)", in: "c", to: .int(1))
        }
      }
    }
    // One generation stays whoever needs it; what is older, for the peer's sake.
    for _ in 0..<3 { try store.compact() }
    try store.close()
    let reopened = try stores.open("/store") { $0.segmentBytes = 1 << 14 }
    let version = peer.document.version
    try exchange(reopened.session(), peer.session())
    #expect(peer.document == reopened.document)
    // The peer can pass on what was removed only if it was told so.
    #expect(peer.document.isLogWhole(since: version))
  }

  @Test("A stamp far ahead is refused where it comes in, and changes nothing")
  func farFuture() throws {
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    stores.clock.milliseconds += 3_600_000
    try left.put("late")
    stores.clock.milliseconds -= 3_600_000
    let before = right.document
    let (teacher, learner) = (left.session(), right.session())
    let hello = try learner.connect().bytes
    _ = try learner.receive(try teacher.connect().bytes)
    let actions = try learner.receive(try teacher.receive(hello).bytes)
    #expect(
      actions.contains { action in
        if case .close = action { true } else { false }
      })
    #expect(right.document == before)
    #expect(throws: StoreError.self) { try right.apply(left.document.delta(since: [:])) }
    #expect(right.document == before)
  }

  @Test("A store that was restored from an older backup writes as another replica")
  func restoredBackup() throws {
    let stores = TestStores(SimulatedFileSystem())
    let store = try stores.open("/store")
    try store.put("first")
    let backup = stores.files.seenImage
    try store.put("second", of: "s")
    let peer = try stores.open("/peer")
    try exchange(store.session(), peer.session())
    // The very same files with their older bytes: the folder looks untouched.
    let old = TestStores(SimulatedFileSystem(backup), replicasAfter: 100)
    let restored = try old.open("/store")
    #expect(restored.replica == store.replica)
    try exchange(restored.session(), peer.session())
    #expect(restored.replica != store.replica)
    #expect(restored.document == peer.document)
    try restored.put("third", of: "t")
    try exchange(restored.session(), peer.session())
    #expect(restored.document == peer.document)
    #expect(peer.document.forks.isEmpty)
  }
}
