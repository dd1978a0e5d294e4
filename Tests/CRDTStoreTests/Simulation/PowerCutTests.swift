import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Testing

/// What the guide to adapters shows app developers.
@Suite("A disk that an app's tests can crash")
struct PowerCutTests {
  @Test("leaves what was acknowledged, in every image of a power cut")
  func power() throws {
    let disk = SimulatedFileSystem()
    var options = Store.Options()
    options.fileSystem = disk
    let store = try Store.open(at: "/notes", options: options)
    try store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
    let images = disk.imagesAfterPowerCut()
    #expect(!images.isEmpty)
    for image in images {
      options.fileSystem = SimulatedFileSystem(image)
      let left = try Store.open(at: "/notes", options: options)
      #expect(left.document.contains("n1", in: "notes"))
    }
  }

  @Test("is seen to lose it where it ignores what it is told to synchronize")
  func lies() throws {
    let disk = SimulatedFileSystem()
    disk.ignoresSynchronization = true
    var options = Store.Options()
    options.fileSystem = disk
    let store = try Store.open(at: "/notes", options: options)
    try store.edit { $0.set("title", of: "n1", in: "notes", to: "Moon") }
    let losses = disk.imagesAfterPowerCut(seed: 7).filter { image in
      options.fileSystem = SimulatedFileSystem(image)
      let left = try? Store.open(at: "/notes", options: options)
      return left?.document.contains("n1", in: "notes") != true
    }
    #expect(losses.count > 5)
    #expect(disk.imagesAfterPowerCut(seed: 7) == disk.imagesAfterPowerCut(seed: 7))
  }

  @Test("says how full it is, and refuses what doesn't fit")
  func capacity() throws {
    let disk = SimulatedFileSystem(DiskImage(files: ["/a": [1, 2, 3]], folders: ["/notes"]))
    #expect(disk.usedBytes == 3)
    disk.capacity = 10
    var options = Store.Options()
    options.fileSystem = disk
    #expect(throws: StoreError.self) { try Store.open(at: "/notes", options: options) }
  }
}
