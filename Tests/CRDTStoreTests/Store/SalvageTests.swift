import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Salvaging a store")
struct SalvageTests {
  let stores = TestStores()

  @Test("What was committed after a damaged commit is written anew; the rest is as it was")
  func damageInTheMiddle() throws {
    let store = try stores.open()
    for number in 0..<300 { try store.put(.int(Int64(number)), of: "r\(number)") }
    try store.edit { edit in
      edit.insert("x", into: "tags", of: "r205", in: "c")
      edit.set("a.b", of: "r206", in: "c", to: "deep")
      edit.delete("r207", in: "c")
    }
    let expected = store.document
    try store.close()
    let entries = try Store.log(at: "/store", fileSystem: stores.files)
    let path = "/store/segments/0000000000000001.segment"
    let image = stores.files.seenImage
    var bytes = try #require(image[path])
    bytes[entries[3].offset + 5] ^= 1
    let damaged = TestStores(
      SimulatedFileSystem(image.replacing(path, with: bytes)), replicasAfter: 50)

    #expect(throws: StoreError.self) { try damaged.open() }
    let found = try Store.verify(at: "/store", fileSystem: damaged.files)
    #expect(found.findings.map(\.path) == [path])
    let report = try Store.salvage(at: "/store", options: damaged.options)
    #expect(report.changesTaken == 3)
    // What goes on from the damaged commit in names can't be read: at most 4 KiB.
    #expect(report.changesWrittenAnew > 180 && report.changesIncomplete == 0)
    #expect(report.filesSetAside.count == 1)

    let again = try damaged.open()
    #expect(again.replica == report.replica && again.replica != store.replica)
    for number in 0..<300 where number < 3 || number > 120 {
      let record = "r\(number)"
      #expect(again.document.fields(of: record, in: "c") == expected.fields(of: record, in: "c"))
    }
    #expect(again.document.fields(of: "r3", in: "c") == nil)
    #expect(damaged.files.seenImage[report.filesSetAside[0]] == bytes)
    #expect(try again.verify().isSound)
    try again.put("more")
    try again.compact()
    let document = again.document
    try again.close()
    #expect(try damaged.open().document == document)
  }

  @Test("What is written anew keeps its time: only what others wrote later wins over it")
  func timesOfOthers() throws {
    let (store, peer) = (try stores.open(), try stores.open("/peer"))
    func sync(_ store: Store, _ peer: Store) throws {
      #expect(try store.sync(with: .store(peer)).isSynchronized)
    }
    try store.put(0, of: "first")
    try sync(store, peer)
    // Seen by both, and written by the peer before it is here.
    try peer.put("earlier", of: "r250")
    for number in 0..<300 as Range<Int64> {
      stores.clock.milliseconds += 1_000
      try store.put(.int(number), of: "r\(number)")
    }
    stores.clock.milliseconds += 1_000
    try peer.put("later", of: "r251")
    try store.close()
    let entries = try Store.log(at: "/store", fileSystem: stores.files)
    let path = "/store/segments/0000000000000001.segment"
    let image = stores.files.seenImage
    var bytes = try #require(image[path])
    bytes[entries[3].offset + 5] ^= 1
    let files = SimulatedFileSystem(image.replacing(path, with: bytes))
    let damaged = TestStores(files, replicasAfter: 50)
    damaged.clock.milliseconds = stores.clock.milliseconds + 1_000_000
    #expect(
      try Store.salvage(at: "/store", options: damaged.options).changesWrittenAnew > 180)
    let (again, other) = (try damaged.open(), try damaged.open("/peer"))
    try sync(again, other)
    for store in [again, other] {
      let value = { store.document.value(of: "value", of: $0, in: "c") }
      #expect(value("r250") == 250 && value("r251") == "later" && value("r299") == 299)
    }
  }
}
