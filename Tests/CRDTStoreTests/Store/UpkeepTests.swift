import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("Upkeep of a store")
struct UpkeepTests {
  let stores = TestStores()

  @Test("Compaction comes by itself, and keeps the files small", .timeLimit(.minutes(30)))
  func automaticCompaction() throws {
    let store = try stores.open { options in
      options.compaction = .automatic
      options.minimumCompactionBytes = 1 << 14
      options.segmentBytes = 1 << 12
    }
    for number in 0..<3_000 {
      try store.edit(.relaxed) {
        $0.set("value", of: "r\(number % 10)", in: "c", to: .int(Int64(number)))
      }
      if number.isMultiple(of: 50) { try store.flush() }
    }
    // It has a thread of its own, which gives up where the store is closed first.
    while store.statistics.snapshots == 0 { Thread.sleep(forTimeInterval: 0.001) }
    // How often it came depends on the machine; after two more, all of the log is old.
    try store.compact()
    try store.compact()
    let document = store.document
    try store.close()
    let statistics = store.statistics
    #expect(statistics.snapshots >= 1 && statistics.snapshots <= 2)
    #expect(statistics.segmentBytes < 1 << 17)
    let again = try stores.open()
    #expect(again.document == document)
    #expect(try again.verify().isSound)
  }

  @Test("Old deletions are purged, if all peers that are waited for know of them")
  func purging() throws {
    let store = try stores.open("/store")
    try store.put("gone")
    let peer = try stores.open("/peer")
    let (here, there) = (store.session(), peer.session())
    try exchange(here, there)
    here.disconnect()
    try store.edit { $0.delete("r", in: "c") }
    stores.clock.milliseconds += 20 * 86_400_000
    try store.compact()
    #expect(store.document.deletedRecords(in: "c") == ["r"])
    // Past the retention of the deletion; the peer was away, and is waited for.
    stores.clock.milliseconds += 9 * 86_400_000
    try exchange(store.session(), peer.session())
    try store.edit { $0.create("s", in: "c") }
    stores.clock.milliseconds += 5 * 86_400_000
    try store.compact()
    #expect(store.document.deletedRecords(in: "c") == [])
    #expect(store.document._table.rowCount == 1)
  }

  @Test("A peer that hasn't seen a deletion is waited for, until it is forgotten")
  func purgeWaits() throws {
    let store = try stores.open("/store")
    try store.put("gone")
    let peer = try stores.open("/peer")
    try exchange(store.session(), peer.session())
    try store.edit { $0.delete("r", in: "c") }
    stores.clock.milliseconds += 29 * 86_400_000
    let session = store.session()
    // It says that it is there, and takes nothing.
    _ = try session.connect()
    _ = try session.receive(try peer.session().connect().bytes)
    session.disconnect()
    stores.clock.milliseconds += 2 * 86_400_000
    try store.compact()
    #expect(store.document.deletedRecords(in: "c") == ["r"])
    try store.forget(peer: peer.replica)
    try store.compact()
    #expect(store.document.deletedRecords(in: "c") == [])
  }

  @Test("At the hard limit commits are refused, and nothing is lost")
  func hardLimit() throws {
    let store = try stores.open { $0.hardLimitBytes = 4_096 }
    var committed = 0
    #expect(throws: StoreError.self) {
      for number in 0..<10_000 {
        try store.put(.int(Int64(number)), of: "r\(number % 3)")
        committed += 1
      }
    }
    #expect(committed > 10)
    let document = store.document
    try store.close()
    let again = try stores.open { $0.hardLimitBytes = 1 << 20 }
    #expect(again.document == document)
    try again.put("more")
  }

  @Test("A compaction without room changes nothing")
  func noRoom() throws {
    let store = try stores.open()
    try store.put("here")
    stores.files.freeBytes = 10
    #expect(throws: StoreError.self) { try store.compact() }
    try store.put("still", of: "s")
    stores.files.freeBytes = nil
    try store.compact()
    let document = store.document
    try store.close()
    #expect(try stores.open().document == document)
  }

  @Test("Where the newest snapshot is gone, the one before it leads to the same")
  func olderSnapshot() throws {
    let store = try stores.open()
    for number in 0..<3 {
      try store.put(.int(Int64(number)), of: "r\(number)")
      try store.compact()
    }
    try store.put("last")
    let document = store.document
    try store.close()
    let newest = "/store/snapshots/0000000000000003.snapshot"
    let image = stores.files.seenImage
    #expect(image[newest] != nil)
    let damaged = TestStores(SimulatedFileSystem(image.replacing(newest, with: nil)))
    let again = try damaged.open()
    #expect(again.document == document)
    #expect(again.recovery.usedOlderSnapshot)
  }

  @Test("What a commit that was cut short left is gone after the next opening")
  func tornEnd() throws {
    let store = try stores.open()
    try store.put("whole")
    let path = "/store/segments/0000000000000001.segment"
    let size = try #require(stores.files.seenImage[path]).count
    try store.put(.string(String(repeating: "torn ", count: 100)))
    let image = stores.files.seenImage
    let bytes = try #require(image[path])
    stores.files.killProcess()
    let nothing = [UInt8](repeating: 7, count: 1_000)
    for end in [bytes[size..<size + 200], bytes[size...].dropLast(), nothing[...]] {
      let left = TestStores(
        SimulatedFileSystem(image.replacing(path, with: Array(bytes[..<size]) + end)))
      let opened = try left.open()
      #expect(opened.recovery.bytesSetAside == end.count)
      #expect(opened.document.value(of: "value", of: "r", in: "c") == "whole")
      try opened.put("next")
      let document = opened.document
      try opened.close()
      let again = try left.open()
      #expect(again.document == document)
      #expect(again.recovery.bytesSetAside == 0 && again.recovery.wasClosed)
      try again.close()
    }
  }

  @Test("Migrations run once for each version, in the commit that notes it")
  func migration() throws {
    let first = try stores.open()
    try first.put("old")
    try first.close()
    let counter = Guarded(0)
    let migrate: (inout Store.Options) -> Void = { options in
      options.schemaVersion = 2
      options.migrate = { from, edit in
        counter.withLock { $0 += 1 }
        #expect(from == 0)
        edit.set("value", of: "r", in: "c", to: "new")
      }
    }
    let second = try stores.open("/store", migrate)
    #expect(second.document.value(of: "value", of: "r", in: "c") == "new")
    try second.close()
    let third = try stores.open("/store", migrate)
    #expect(counter.withLock { $0 } == 1)
    try third.compact()
    try third.close()
    #expect(throws: StoreError.newerSchema(found: 2, supported: 1)) {
      try stores.open("/store") { $0.schemaVersion = 1 }
    }
    struct Broken: Error {}
    #expect(throws: StoreError.self) {
      try stores.open("/store") { options in
        options.schemaVersion = 3
        options.migrate = { _, edit in
          edit.set("value", of: "r", in: "c", to: "broken")
          throw Broken()
        }
      }
    }
    let last = try stores.open("/store", migrate)
    #expect(last.document.value(of: "value", of: "r", in: "c") == "new")
  }

  @Test("The schema is kept, until another is given")
  func schema() throws {
    let schema = Schema(collections: [
      "c": Schema.Collection(fields: ["n": .counter, "t.*": .set], deletion: .deleteWins)
    ])
    try stores.open(schema: schema).close()
    let again = try stores.open()
    #expect(again.document.schema == schema)
    try again.close()
    try stores.open(schema: Schema()).close()
    #expect(try stores.open().document.schema == Schema())
  }

  @Test("A store that is only read doesn't change, and is read by several")
  func readOnly() throws {
    let store = try stores.open()
    try store.put("here")
    #expect(throws: StoreError.locked(path: "/store")) {
      try stores.open { $0.access = .readOnly }
    }
    try store.close()
    let image = stores.files.seenImage
    let first = try stores.open { $0.access = .readOnly }
    let second = try stores.open { $0.access = .readOnly }
    #expect(first.document == store.document && second.document == store.document)
    #expect(throws: StoreError.readOnly(path: "/store")) { try first.put("there") }
    #expect(throws: StoreError.locked(path: "/store")) { try stores.open() }
    try first.close()
    try second.close()
    #expect(stores.files.seenImage == image)
  }

  @Test("A copy of a store's folder writes as another replica, and no fork comes of it")
  func copiedFolder() throws {
    let folder = try TemporaryFolder()
    let original = try Store.open(at: folder.path + "/a")
    try original.put("first")
    try original.close()
    try folder.copy("a", to: "b")
    let (a, b) = (
      try Store.open(at: folder.path + "/a"), try Store.open(at: folder.path + "/b")
    )
    #expect(b.recovery.isCopy && !a.recovery.isCopy)
    #expect(a.replica == original.replica && b.replica != a.replica)
    try a.put("left", of: "l")
    try b.put("right", of: "r")
    try exchange(a.session(), b.session())
    #expect(a.document == b.document)
    #expect(a.document.forks.isEmpty)
    try b.close()
    let again = try Store.open(at: folder.path + "/b")
    #expect(!again.recovery.isCopy)
    #expect(again.replica == b.replica)
  }
}
