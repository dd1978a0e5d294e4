import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Copies and restored backups on simulated disks, which are to look as on real ones.
@Suite("Restored and copied stores on simulated disks")
struct SimulatedRestoreTests {
  let stores = TestStores()

  private func identity(_ files: SimulatedFileSystem, _ path: String) throws -> FileIdentity {
    let folder = try files.openFolder(at: path)
    defer { files.close(folder) }
    let lock = try files.open("LOCK", in: folder, for: .reading)
    defer { files.close(lock) }
    return try files.identity(of: lock)
  }

  @Test("No call of a store changes LOCK once it is made")
  func untouched() throws {
    let store = try stores.open()
    let made = try identity(stores.files, "/store")
    for number in 0..<40 { try store.put(.int(Int64(number)), of: "r\(number)") }
    try store.compact()
    try store.backUp(to: "/backup")
    #expect(try store.verify().isSound)
    try store.close()
    try stores.open { $0.access = .readOnly }.close()
    let again = try stores.open()
    #expect(!again.recovery.isCopy)
    try again.put("more")
    try again.sync(with: .folder("/relay"))
    try again.close()
    _ = try Store.salvage(at: "/store", options: stores.options)
    #expect(try identity(stores.files, "/store") == made)
    let changes: Set<DiskCall> = [.write, .truncate, .rename, .remove]
    #expect(!stores.files.calls.contains { changes.contains($0.kind) && $0.name.contains("LOCK") })
  }

  @Test("A copy by path and bytes is noticed, also at the same path of another disk")
  func copied() throws {
    let store = try stores.open()
    try store.put("one")
    try store.close()
    let image = DiskImage(files: stores.files.seenImage.files.filter { !$0.key.hasSuffix("/") })
    #expect(image["/store/LOCK"] == [])
    let other = TestStores(SimulatedFileSystem(image), replicasAfter: 50)
    let copy = try other.open()
    #expect(copy.recovery.isCopy && copy.recovery.formerReplica == store.replica)
    try copy.close()
    #expect(try !other.open().recovery.isCopy)
  }

  @Test("A backup that is put over the store's files is noticed")
  func overwritten() throws {
    let store = try stores.open()
    try store.put("one")
    try store.close()
    let files = stores.files
    let folder = try files.openFolder(at: "/store")
    defer { files.close(folder) }
    let lock = try files.open("LOCK", in: folder, for: .writing)
    try files.truncate(lock, to: 0)
    files.close(lock)
    #expect(try stores.open().recovery.isCopy)
  }

  @Test("A backup that is moved into place is noticed")
  func moved() throws {
    let store = try stores.open()
    try store.put("one")
    try store.backUp(to: "/backup")
    try store.close()
    let files = stores.files
    let root = try files.openFolder(at: "/")
    defer { files.close(root) }
    try files.rename("store", in: root, to: "old", in: root)
    try files.rename("backup", in: root, to: "store", in: root)
    let restored = try stores.open()
    #expect(restored.recovery.isCopy && restored.replica != store.replica)
    // The store itself was only renamed.
    #expect(try !stores.open("/old").recovery.isCopy)
  }

  @Test("The image of a disk that is put back isn't noticed at opening: its files are the same")
  func putBack() throws {
    let store = try stores.open()
    try store.put("one")
    try store.flush()
    let image = stores.files.seenImage
    try store.put("two")
    let restored = try TestStores(SimulatedFileSystem(image), replicasAfter: 50).open()
    #expect(!restored.recovery.isCopy && restored.replica == store.replica)
  }

  @Test("A store that was killed or lost its power is at home, wherever that was")
  func crashed() throws {
    let store = try stores.open()
    for number in 0..<3 { try store.put(.int(Int64(number))) }
    try store.close()
    for call in 0...stores.files.callCount {
      for image in stores.files.imagesAfterPowerCut(afterCall: call, seed: 7).prefix(4) {
        let again = try TestStores(SimulatedFileSystem(image), replicasAfter: 50).open()
        #expect(!again.recovery.isCopy, "after call \(call)")
        try again.close()
      }
    }
  }
}
