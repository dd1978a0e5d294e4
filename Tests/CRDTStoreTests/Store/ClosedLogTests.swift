import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("The end of a log that was closed")
struct ClosedLogTests {
  private let stores = TestStores()
  private let segment = "/store/segments/0000000000000001.segment"
  private let mark = "/store/CLOSED"

  private func image() throws -> DiskImage {
    let store = try stores.open()
    for number in 0..<4 as Range<Int64> { try store.put(.int(number)) }
    try store.close()
    return stores.files.seenImage
  }

  private func verify(_ image: DiskImage) throws -> Store.VerificationReport {
    try Store.verify(
      at: "/store", fileSystem: SimulatedFileSystem(image), sealing: stores.options.sealing)
  }

  @Test("Wherever it is cut, and if it is gone, checking finds it out, and salvaging mends it")
  func cuts() throws {
    let image = try image()
    let bytes = try #require(image[segment])
    #expect(try verify(image).isSound)
    for count in bytes.indices {
      let cut = image.replacing(segment, with: Array(bytes[..<count]))
      let report = try verify(cut)
      #expect(report.findings.map(\.path) == [segment], "cut to \(count)")
      #expect(report.bytesUnfinished == 0)
      guard count % 16 == 0 || count > bytes.count - 4 else { continue }
      let other = TestStores(SimulatedFileSystem(cut), replicasAfter: 50)
      let salvaged = try Store.salvage(at: "/store", options: other.options)
      #expect(salvaged.findings.count == 1, "cut to \(count)")
      #expect(try verify(other.files.seenImage).isSound, "cut to \(count)")
      try other.open().close()
    }
  }

  @Test("A last segment that is gone is missed")
  func missingSegment() throws {
    let store = try stores.open { $0.segmentBytes = 100 }
    for number in 0..<9 as Range<Int64> { try store.put(.int(number)) }
    try store.close()
    let image = stores.files.seenImage
    let last = try #require(image.files.keys.filter { $0.hasSuffix(".segment") }.max())
    #expect(last > segment)
    #expect(try verify(image).isSound)
    let report = try verify(image.replacing(last, with: nil))
    #expect(report.findings.map(\.path) == [last])
  }

  @Test("What a crash may cut is none, and a mark that is torn or another store's says nothing")
  func unfinished() throws {
    let closed = try image()
    let before = try #require(closed[segment])
    let store = try stores.open()
    try store.put("after")
    let image = stores.files.seenImage
    withExtendedLifetime(store) {}
    let after = try #require(image[segment])
    #expect(image[mark] == closed[mark] && after.count > before.count)
    for count in before.count...after.count {
      #expect(try verify(image.replacing(segment, with: Array(after[..<count]))).isSound)
    }
    let bytes = try #require(closed[mark])
    let cut = closed.replacing(segment, with: Array(before.dropLast(3)))
    for place in bytes.indices {
      var torn = bytes
      torn[place] ^= 1
      #expect(try verify(cut.replacing(mark, with: torn)).isSound)
      #expect(try verify(cut.replacing(mark, with: Array(bytes[..<place]))).isSound)
    }
    try store.compact()
    try store.compact()
    try store.close()
    #expect(try verify(stores.files.seenImage).isSound)
  }
}
