import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Foundation

extension FuzzSurface {
  /// The choice gives the store and the file; the parts are that file.
  static func open(_ input: FuzzInput) throws(Discrepancy) {
    let golden = GoldenStore.all[Int(input.choice & 3) % GoldenStore.all.count]
    let name = GoldenStore.names[Int(input.choice >> 2 & 7) % GoldenStore.names.count]
    let path = "/store/\(name)"
    let image = golden.image.replacing(path, with: FuzzInput.file(input.parts[...]))
    let stores = FuzzStores(image)
    _ = try? Store.log(at: "/store", fileSystem: stores.files)
    let isSound = (try? Store.verify(at: "/store", fileSystem: stores.files))?.isSound
    if let store = stores.open("/store", { $0.access = .readOnly }) {
      try store.document._table.checkSoundness()
      try? store.close()
    }
    if let store = stores.open("/store") {
      try stores.checkReopening(store, "/store", wasSound: isSound == true)
    } else {
      try check(isSound != true, "it is sound, and can't be opened")
    }
    try stores.checkFiles()
    try salvage(image)
  }

  /// What is whole is saved, and can be opened.
  private static func salvage(_ image: DiskImage) throws(Discrepancy) {
    let stores = FuzzStores(image)
    if (try? Store.salvage(at: "/store", options: stores.options)) != nil {
      let store: Store
      do { store = try Store.open(at: "/store", options: stores.options) } catch .otherDocument {
        // A segment that says so makes it one of another document.
        return try stores.checkFiles()
      } catch {
        throw Discrepancy("what was salvaged can't be opened: \(error)")
      }
      try stores.checkReopening(store, "/store")
    }
    try stores.checkFiles()
  }

  static func openingSeeds() throws -> [[UInt8]] {
    GoldenStore.all.enumerated().flatMap { store, golden in
      GoldenStore.names.enumerated().map { file, name in
        let bytes = golden.image.files["/store/\(name)"] ?? []
        return FuzzInput(UInt8(store | file << 2), FuzzInput.parts(of: bytes)).bytes
      }
    }
  }
}

/// A store as a version of the format wrote it, from `Tests/Fixtures`.
private struct GoldenStore {
  static let names = [
    "MANIFEST", "segments/0000000000000001.segment", "segments/0000000000000002.segment",
    "snapshots/0000000000000001.snapshot", "CLOSED",
  ]

  static let all = ["store-v1", "store-v2", "store-v4"].map { GoldenStore($0) }

  let image: DiskImage

  init(_ golden: String) {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/\(golden)")
    var files: [String: [UInt8]] = [:]
    for name in Self.names {
      guard let data = try? Data(contentsOf: fixtures.appending(path: name)) else { continue }
      files["/store/\(name)"] = [UInt8](data)
    }
    image = DiskImage(files: files)
  }
}
