import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("What a store and its blobs take together")
struct StorageUsageTests {
  @Test("R122: all is added up, and says when a clean-up is to be offered, and what it frees")
  func adding() async throws {
    let stores = TestStores()
    stores.files.freeBytes = 1 << 40
    let store = try await stores.openCards()
    var options = BlobStore.Options()
    options.fileSystem = stores.files
    let blobs = try await BlobStore.open(at: "/blobs", options: options)
    try await store.write { try $0.create(Card(id: "a")) }
    try await store.compact()
    for (place, blobClass) in BlobStore.BlobClass.allCases.enumerated() {
      try await blobs.put(
        [UInt8](repeating: UInt8(place), count: 1_000), as: blobClass, isSent: true)
    }
    let usage = try await Store.StorageUsage(of: store, and: blobs)
    let statistics = store.statistics
    #expect(usage.recordBytes == statistics.segmentBytes + statistics.snapshotBytes)
    #expect(usage.recordBytes > 0 && usage.bytes == usage.recordBytes + 4_000)
    #expect(usage.reclaimableBytes == 2_000)
    #expect(usage.level(under: Store.StorageLimits()) == .within)
    var limits = Store.StorageLimits(softBytes: usage.bytes + 1, hardBytes: usage.bytes + 2)
    #expect(usage.level(under: limits) == .within)
    limits.softBytes -= 1
    #expect(usage.level(under: limits) == .soft)
    limits.hardBytes -= 2
    #expect(usage.level(under: limits) == .hard)
    #expect(try await blobs.clearCache() == usage.reclaimableBytes)
    let less = try await Store.StorageUsage(of: store, and: blobs)
    #expect(less.bytes == usage.bytes - 2_000 && less.level(under: limits) == .within)
    await blobs.close()
    try await store.close()
  }
}
