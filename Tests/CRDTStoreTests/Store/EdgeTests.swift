import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Situations at the edges, each of which once went wrong.
@Suite("Edges of a store", .timeLimit(.minutes(30)))
struct EdgeTests {
  let stores = TestStores()

  @Test("A sound store is not salvaged, and its report says what it holds")
  func soundSalvage() throws {
    let store = try stores.open(schema: Schema(collections: ["c": Schema.Collection()]))
    try store.put("here")
    try store.close()
    let image = stores.files.seenImage
    let report = try Store.salvage(at: "/store", options: stores.options)
    #expect(report.records == 1 && !report.isSchemaLost && report.findings.isEmpty)
    #expect(report.replica == store.replica)
    #expect(stores.files.seenImage == image)
  }

  @Test("A closed store says so also when it has nothing to make durable")
  func flushingClosed() async throws {
    let store = try stores.open()
    try store.put("here")
    try await store.flush()
    try await store.close()
    #expect(throws: StoreError.closed(path: "/store")) { try store.flush() }
    let other = try await stores.openForTasks("/other")
    try await other.close()
    await #expect(throws: StoreError.closed(path: "/other")) { try await other.flush() }
  }

  @Test("Without manifest and snapshot the schema is lost, and the report says so")
  func lostSchema() throws {
    let store = try stores.open(schema: Schema(collections: ["c": Schema.Collection()]))
    try store.put("here")
    try store.close()
    let image = stores.files.seenImage.replacing("/store/MANIFEST", with: [1, 2, 3])
    let damaged = TestStores(SimulatedFileSystem(image), replicasAfter: 50)
    let report = try Store.salvage(at: "/store", options: damaged.options)
    #expect(report.isSchemaLost && report.records == 1)
  }

  @Test("A manifest that was whole before it got its name is the manifest where there is no other")
  func manifestWithoutName() throws {
    let (path, unfinished) = ("/store/MANIFEST", "/store/MANIFEST.new")
    let store = try stores.open()
    try store.put("one")
    try store.compact()
    try store.put("two")
    let image = stores.files.seenImage
    let manifest = try #require(image[path])
    let lost = image.replacing(path, with: nil)
    for readOnly in [true, false] {
      let renamed = TestStores(SimulatedFileSystem(lost.replacing(unfinished, with: manifest)))
      let opened = try renamed.open { if readOnly { $0.access = .readOnly } }
      #expect(opened.document == store.document)
      #expect((renamed.files.seenImage[path] == manifest) == !readOnly)
      #expect((renamed.files.seenImage[unfinished] == nil) == !readOnly)
    }
    for torn in [[], Array(manifest.dropLast()), manifest + [0]] {
      let files = SimulatedFileSystem(lost.replacing(unfinished, with: torn))
      #expect(throws: StoreError.self) { try TestStores(files).open() }
      #expect(files.seenImage[unfinished] == torn)
    }
  }

  @Test("Files that nothing needs and that can't be looked at keep nobody out")
  func needlessFilesOutOfReach() throws {
    let store = try stores.open()
    for number in 0..<4 {
      try store.put(.int(Int64(number)))
      try store.compact()
    }
    let (image, needless) = (stores.files.seenImage, store.statistics.segments - 1)
    #expect(needless > 0)
    var opened = 0
    for number in 1...20 {
      let files = SimulatedFileSystem(image)
      files.schedule(DiskFault(.fails(117), kind: .open, number: number))
      let other = try? TestStores(files).open { $0.access = .readOnly }
      guard let other else { continue }
      if files.calls.count(where: { $0.kind == .open }) >= number { opened += 1 }
      #expect(other.document == store.document)
    }
    // The older snapshot can't be looked at either.
    #expect(opened == needless + 1)
  }

  @Test("A backup has all, whatever call failed when its store was opened")
  func backupAfterFailingCalls() throws {
    let store = try stores.open()
    for number in 0..<4 {
      try store.put(.int(Int64(number)))
      if number < 3 { try store.compact() }
    }
    let image = stores.files.seenImage
    var opened = 0
    for number in 1...80 {
      let files = SimulatedFileSystem(image)
      files.schedule(DiskFault(.fails(5), number: number))
      guard let other = try? TestStores(files).open() else { continue }
      files.clearFaults()
      opened += 1
      try other.backUp(to: "/copy")
      try #expect(TestStores(files).open("/copy").document == store.document, "call \(number)")
    }
    #expect(opened > 0)
  }

  @Test(
    "A session with one who knows more of a closed or read-only store's replica ends in an error")
  func takingAReplicaInVain() async throws {
    let first = try stores.open()
    try first.put("one")
    let backup = stores.files.seenImage
    try first.put("two")
    let peer = try stores.open("/peer")
    try exchange(first.session(), peer.session())
    let old = TestStores(SimulatedFileSystem(backup), replicasAfter: 100)
    let store = try await old.openForTasks { $0.access = .readOnly }
    let session = store.session()
    _ = try await session.connect()
    let hello = try await peer.session().connect().bytes
    await #expect(throws: StoreError.self) { try await session.receive(hello) }
    #expect(store.document.records(in: "c") == ["r"])
    try await store.close()
    await #expect(throws: StoreError.self) { try await session.receive(hello) }
  }

  @Test("A peer is known after its store was killed")
  func peersSurviveKills() throws {
    let (store, peer) = (try stores.open("/store"), try stores.open("/peer"))
    try store.put("news")
    try exchange(store.session(), peer.session())
    try store.put("more")
    let killed = TestStores(SimulatedFileSystem(stores.files.seenImage), replicasAfter: 50)
    #expect(try killed.open("/store").peers.map(\.replica) == [peer.replica])
  }

  @Test("A relaxed commit behind a note of a peer is written soon")
  func relaxedBehindANote() throws {
    let (store, peer) = (try stores.open("/store"), try stores.open("/peer"))
    try exchange(store.session(), peer.session())
    try store.edit(.relaxed) { $0.create("r", in: "c") }
    while store.statistics.pendingCommits > 0 {}
  }

  @Test("A compaction that finds no room stops nothing")
  func fullDiskCompaction() throws {
    let store = try stores.open()
    for number in 0..<50 { try store.put(.int(Int64(number)), of: "r\(number)") }
    stores.files.schedule(DiskFault(.fails(28), kind: .write, isForever: true))
    #expect(throws: StoreError.self) { try store.compact() }
    stores.files.clearFaults()
    try store.put("still here")
    try store.compact()
    let document = store.document
    try store.close()
    #expect(try stores.open().document == document)
  }

  @Test("At the hard limit one can delete, compact and go on")
  func wayOutOfTheLimit() throws {
    let store = try stores.open { options in
      options.hardLimitBytes = 20_000
      options.deletionRetention = .zero
    }
    var number = 0
    #expect(throws: StoreError.self) {
      while true {
        try store.put(.string(String(repeating: "x", count: 200)), of: "r\(number)")
        number += 1
      }
    }
    let before = store.document
    #expect(throws: StoreError.self) { try store.put("no") }
    #expect(store.document == before)
    for place in 0..<number { try store.edit { $0.delete("r\(place)", in: "c") } }
    stores.clock.milliseconds += 1_000
    try store.compact()
    try store.put("yes")
  }

  @Test("A backup of a store that is being written opens as it was, and is another replica")
  func backup() throws {
    let folder = try TemporaryFolder()
    let store = try Store.open(at: folder.path + "/store")
    for number in 0..<20 { try store.put(.int(Int64(number)), of: "r\(number)") }
    try store.compact()
    try store.put("after the snapshot")
    let document = store.document
    try store.backUp(to: folder.path + "/backup")
    try store.put("after the backup")
    #expect(throws: StoreError.alreadyExists(path: folder.path + "/backup")) {
      try store.backUp(to: folder.path + "/backup")
    }
    let copy = try Store.open(at: folder.path + "/backup")
    #expect(copy.document == document)
    #expect(copy.recovery.isCopy && copy.replica != store.replica)
    #expect(try copy.verify().isSound)
  }

  @Test("A store is not made among other files")
  func foreignFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("Letter.txt", "Dear")
    #expect(throws: StoreError.alreadyExists(path: folder.path)) {
      try Store.open(at: folder.path)
    }
    #expect(try folder.names() == ["Letter.txt"])
  }

  @Test("Two loops over the same changes each get them")
  func twoLoops() async throws {
    let store = try await stores.openForTasks()
    let changes = store.changes
    let (one, two) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
    try await store.edit { $0.create("r", in: "c") }
    #expect(await one.next() != nil)
    #expect(await two.next() != nil)
  }

  @Test("A session keeps its store open, and connects by itself where the peer was quicker")
  func sessionsAlone() async throws {
    let peer = try stores.open("/peer")
    try peer.put("news")
    let there = peer.session()
    let session = try await stores.openForTasks().session()
    let greeting = try await session.receive(try there.connect().bytes)
    let news = try await there.receive(greeting.bytes)
    _ = try await session.receive(news.bytes)
    #expect(session.store.document == peer.document)
  }

  @Test("An edit reads what it has changed so far")
  func readingEdits() throws {
    let store = try stores.open()
    try store.put(.int(1))
    try store.edit { edit in
      guard case .int(let value)? = edit.value(of: "value", of: "r", in: "c") else { return }
      edit.set("value", of: "r", in: "c", to: .int(value + 1))
      #expect(edit.fields(of: "r", in: "c") == ["value": .int(2)])
      edit.create("s", in: "c")
      #expect(edit.records(in: "c") == ["r", "s"])
    }
    #expect(store.document.value(of: "value", of: "r", in: "c") == .int(2))
  }

  @Test("Stores that run over streams come to hold the same, whoever commits when")
  func running() async throws {
    let left = try await stores.openForTasks("/left")
    let right = try await stores.openForTasks("/right")
    let (toLeft, leftLine) = AsyncStream.makeStream(of: [UInt8].self)
    let (toRight, rightLine) = AsyncStream.makeStream(of: [UInt8].self)
    async let leftEnd: Void = left.session().run(receiving: toLeft) { rightLine.yield($0) }
    async let rightEnd: Void = right.session().run(receiving: toRight) { leftLine.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (store, name) in [(left, "l"), (right, "r")] {
        for writer in 0..<2 {
          group.addTask {
            for number in 0..<50 {
              try await store.edit { $0.create("\(name)\(writer)-\(number)", in: "c") }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for await count in left.values({ $0.records(in: "c").count }) where count == 200 { break }
    for await count in right.values({ $0.records(in: "c").count }) where count == 200 { break }
    leftLine.finish()
    rightLine.finish()
    _ = try await (leftEnd, rightEnd)
    #expect(left.document == right.document)
  }
}
