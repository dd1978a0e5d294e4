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
    let entries = try BlockingStore.log(at: "/store", fileSystem: stores.files)
    let path = "/store/segments/0000000000000001.segment"
    let image = stores.files.seenImage
    var bytes = try #require(image[path])
    bytes[entries[3].offset + 5] ^= 1
    let damaged = TestStores(
      SimulatedFileSystem(image.replacing(path, with: bytes)), replicasAfter: 50)

    #expect(throws: StoreError.self) { try damaged.open() }
    let found = try BlockingStore.verify(at: "/store", fileSystem: damaged.files)
    #expect(found.findings.map(\.path) == [path])
    let report = try BlockingStore.salvage(at: "/store", options: damaged.options)
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
}
