import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// Stores as each version of the format has written them: they are opened for ever.
///
/// What the version of today writes must be its golden files, byte for byte. Run once
/// with `CRDT_WRITE_GOLDEN=1` to write the files of a new version. In those without "home" in
/// their names the number of `LOCK` stands for the home of a store. In those with "marked",
/// changes that the store made carry the marks of their bases; in those with "based", changes
/// name more of the version before them than the last change.
@Suite("Golden stores")
struct GoldenTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Fixtures"
  private static let names = [
    "MANIFEST", "segments/0000000000000001.segment", "segments/0000000000000002.segment",
    "snapshots/0000000000000001.snapshot",
  ]
  private static let schema = Schema(collections: [
    "notes": Schema.Collection(
      fields: ["body": .manual, "tags": .set, "likes": .counter], deletion: .deleteWins)
  ])

  /// A store with something of everything.
  private static func write() throws -> (stores: TestStores, document: Document) {
    let stores = TestStores()
    let store = try stores.open("/store", schema: schema) { $0.schemaVersion = 3 }
    try store.edit { edit in
      edit.set("title", of: "n1", in: "notes", to: "Moon")
      edit.set("body", of: "n1", in: "notes", to: "There was a lake.")
      edit.insert("story", into: "tags", of: "n1", in: "notes")
      edit.set("a.b", of: "n2", in: "notes", to: .array([.int(-1), .double(0.5), .bytes([7])]))
      edit.set("é", of: "../n3", in: "nötes/", to: .timestamp(1))
    }
    var other = store.document
    stores.clock.milliseconds += 1_000
    try store.edit { edit in
      edit.set("body", of: "n1", in: "notes", to: "There was a pond.")
      try edit.increment("likes", of: "n1", in: "notes", by: 3)
      edit.delete("n2", in: "notes")
    }
    let stamp = HybridTimestamp(milliseconds: stores.clock.milliseconds, replica: ReplicaID(99))
    try store.apply(
      other.edit(at: stamp) {
        $0.set("body", of: "n1", in: "notes", to: "There was a river.")
        $0.remove("title", of: "n1", in: "notes")
      })
    try store.write { try $0.set(setting: "tab", to: "notes") }
    try store.compact()
    try store.write { try $0.set(setting: "size", to: 12) }
    try store.edit { $0.set("title", of: "n1", in: "notes", to: "Full moon") }
    let peer = try stores.open("/peer")
    let (here, there) = (store.session(), peer.session())
    try exchange(here, there)
    here.disconnect()
    let document = store.document
    try store.close()
    return (stores, document)
  }

  @Test("What is written today is what the golden files hold")
  func writing() throws {
    let (stores, _) = try Self.write()
    for name in Self.names {
      let bytes = try #require(stores.files.seenImage["/store/\(name)"])
      #expect(try golden("store-v4/\(name)", bytes) == bytes, "\(name)")
    }
  }

  @Test("What is written sealed today is what the golden files hold, and opens with the key")
  func sealed() throws {
    try TestSealing.$inUse.withValue(TestSealing()) {
      let (stores, expected) = try Self.write()
      var files: [String: [UInt8]] = [:]
      for name in Self.names {
        let bytes = try #require(stores.files.seenImage["/store/\(name)"])
        files["/store/\(name)"] = try golden("store-v5-sealed/\(name)", bytes)
        #expect(files["/store/\(name)"] == bytes, "\(name)")
      }
      let others = [
        ("store-v5-sealed-based", false), ("store-v5-sealed-marked", false),
        ("store-v3-sealed", true),
      ]
      for (files, isOld) in [(files, false)] + (try others.map { (try Self.files($0), $1) }) {
        let old = TestStores(SimulatedFileSystem(DiskImage(files: files)), replicasAfter: 1_000)
        #expect(throws: StoreError.sealed(path: "/store")) {
          try old.open { $0.sealing = nil }
        }
        let store = try old.open { $0.schemaVersion = 3 }
        #expect(Self.holds(store.document, expected, isOld: isOld))
        #expect(store.setting("size") == 12)
        let report = try store.verify()
        #expect(report.isSound, "\(report)")
      }
    }
  }

  /// The files of a golden store, as those of a store in a simulated file system.
  private static func files(_ golden: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in names {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(golden)/\(name)"))
      files["/store/\(name)"] = [UInt8](data)
    }
    return files
  }

  /// Whether a document is what is expected; of one that an older version wrote, whether it
  /// shows the same: its counters don't tell of stretches.
  private static func holds(_ document: Document, _ expected: Document, isOld: Bool) -> Bool {
    guard isOld else { return document == expected }
    return document.version == expected.version && document.conflicts == expected.conflicts
      && document.collections == expected.collections
      && expected.collections.allSatisfy { collection in
        let deleted = expected.deletedRecords(in: collection)
        return document.records(in: collection) == expected.records(in: collection)
          && document.deletedRecords(in: collection) == deleted
          && (expected.records(in: collection) + deleted).allSatisfy { record in
            document.fields(of: record, in: collection)
              == expected.fields(of: record, in: collection)
              && document.deletedFields(of: record, in: collection)
                == expected.deletedFields(of: record, in: collection)
          }
      }
  }

  /// The bytes of a golden file, which is written where it is asked for.
  private func golden(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
    let path = "\(Self.folder)/\(name)"
    if ProcessInfo.processInfo.environment["CRDT_WRITE_GOLDEN"] == "1" {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(
    "A store of an earlier version knows of no document, and takes that of the first it meets",
    arguments: ["store-v1", "store-v2", "store-v3-sealed"])
  func document(_ golden: String) throws {
    let sealing = golden == "store-v3-sealed" ? TestSealing() : nil
    try TestSealing.$inUse.withValue(sealing) {
      let files = try Self.files(golden)
      let stores = TestStores(
        SimulatedFileSystem(DiskImage(files: files)), replicasAfter: 1_000)
      let store = try stores.open { $0.documentID = nil }
      #expect(store.documentID == nil)
      let empty = try stores.open("/empty") { $0.documentID = nil }
      // Neither has one that the other could take.
      #expect(try empty.sync(with: .store(store)).isSynchronized)
      #expect(empty.documentID == nil && store.documentID == nil)
      let other = try stores.open("/other")
      try other.put("one")
      #expect(try store.sync(with: .store(other)).isSynchronized)
      try store.close()
      let again = try stores.open { $0.documentID = nil }
      #expect(again.documentID == TestStores.document && again.document == other.document)
      #expect(try empty.sync(with: .store(again)).isSynchronized)
      #expect(empty.documentID == TestStores.document)
      let third = try stores.open("/third") { $0.documentID = DocumentID(high: 0, low: 1) }
      #expect(
        throws: StoreError.otherDocument(
          path: third.path, found: DocumentID(high: 0, low: 1), expected: TestStores.document)
      ) { try again.sync(with: .store(third)) }
    }
  }

  @Test(
    "Every version opens, and holds what was stored",
    arguments: ["store-v1", "store-v2", "store-v4-marked", "store-v4-based", "store-v4"])
  func versions(_ golden: String) throws {
    let (files, version) = (try Self.files(golden), golden == "store-v1" ? 1 : 2)
    let stores = TestStores(
      SimulatedFileSystem(DiskImage(files: files)), replicasAfter: 1_000)
    let (_, expected) = try Self.write()
    let store = try stores.open { $0.schemaVersion = 3 }
    let isOld = !golden.hasPrefix("store-v4")
    #expect(Self.holds(store.document, expected, isOld: isOld))
    #expect(store.setting("tab") == (version == 1 ? nil : "notes"))
    #expect(store.setting("size") == (version == 1 ? nil : 12))
    #expect(store.document.schema == Self.schema)
    #expect(store.document.value(of: "title", of: "n1", in: "notes") == "Full moon")
    #expect(store.document.value(of: "likes", of: "n1", in: "notes") == 3)
    #expect(store.document.conflicts.count == 1)
    #expect(store.document.deletedRecords(in: "notes") == ["n2"])
    #expect(store.document.value(of: "é", of: "../n3", in: "nötes/") == .timestamp(1))
    #expect(store.peers.count == 1)
    #expect(store.recovery.wasClosed && store.recovery.isCopy)
    #expect(try store.verify().isSound)
    // What an older version couldn't read stands in files that say so.
    try store.write { try $0.set(setting: "tab", to: nil) }
    try store.close()
    let again = try stores.open { $0.schemaVersion = 3 }
    #expect(again.setting("tab") == nil)
    #expect(Self.holds(again.document, expected, isOld: isOld))
    #expect(throws: StoreError.newerSchema(found: 3, supported: 2)) {
      try stores.open("/peer") { $0.schemaVersion = 9 }.close()
      try again.close()
      _ = try stores.open { $0.schemaVersion = 2 }
    }
  }
}
