import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("A relay's folder that is sealed")
struct SealedRelayTests {
  private let stores = TestStores()
  private static let marker = "the-marker-of-this-test"

  private func folder(_ key: UInt64? = 1) -> Store.SyncTarget {
    var options = FolderRelay.Options.standard
    options.sealing = key.map { TestSealing(key: $0) }
    return .folder("/relay", options: options)
  }

  private var files: [String: [UInt8]] {
    stores.files.seenImage.files.filter { $0.key.hasPrefix("/relay/") }
  }

  private var readable: [String] {
    let marker = Array(Self.marker.utf8)
    return files.filter { _, bytes in
      bytes.indices.contains { bytes[$0] == marker[0] && bytes[$0...].starts(with: marker) }
    }.keys.sorted()
  }

  @Test("Stores come to hold the same, and nobody reads it who has no key")
  func converging() throws {
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    for round in 0..<12 as Range<Int64> {
      try left.put(.string("\(Self.marker) \(round)"), of: "r\(round)")
      try left.sync(with: folder())
      try right.put(.int(round), of: Self.marker)
      #expect(try right.sync(with: folder()).findings.isEmpty)
    }
    #expect(try left.sync(with: folder()).isSynchronized)
    #expect(left.document == right.document)
    #expect(readable.isEmpty && !files.isEmpty)
    // A long one is in the log as it came.
    try left.edit { edit in
      for number in 0..<600 { edit.set("value", of: "l\(number)", in: "c", to: "long") }
    }
    try left.sync(with: folder())
    #expect(try right.sync(with: folder()).bytesTaken > 4_096)
    let document = right.document
    try right.close()
    #expect(try stores.open("/right").document == document)
    #expect(document == left.document)
  }

  @Test("Without the key nothing is taken and nothing written")
  func refusals() throws {
    let left = try stores.open("/left")
    try left.put("one")
    try left.sync(with: folder())
    let other = try stores.open("/other")
    try other.put("two", of: "mine")
    let (document, before) = (other.document, files)
    #expect(throws: StoreError.sealed(path: "/relay")) { try other.sync(with: folder(nil)) }
    #expect {
      try other.sync(with: folder(2))
    } throws: { error in
      if case .wrongKey? = error as? StoreError { true } else { false }
    }
    #expect(files == before && other.document == document)
    #expect(try other.sync(with: folder()).isSynchronized)
  }

  @Test("Who has no key and hasn't written yet doesn't begin beside what is sealed, unless told")
  func beginningBesideSealed() throws {
    let (plain, sealed) = (try stores.open("/left"), try stores.open("/right"))
    try plain.put(.string(Self.marker), of: "l")
    try plain.sync(with: folder(nil))
    try sealed.put("sealed", of: "r")
    try sealed.sync(with: folder())
    let file = try #require(files.keys.first { $0.contains("\(sealed.replica)") })
    let newcomers = try (0..<20).map { try stores.open("/new\($0)") }
    let before = files
    for newcomer in newcomers + newcomers {
      #expect(throws: StoreError.sealed(path: file)) { try newcomer.sync(with: folder(nil)) }
      // What can be read is, and is durable.
      #expect(newcomer.document == plain.document && newcomer.statistics.pendingCommits == 0)
      #expect(files == before)
    }
    // It isn't kept from going on who has written here.
    let newcomer = newcomers[0]
    try plain.put("more", of: "l")
    #expect(try plain.sync(with: folder(nil)).deltasSent == 1)
    var options = FolderRelay.Options.standard
    options.publishesBesideSealed = true
    try newcomer.put("mine", of: "n")
    #expect(try newcomer.sync(with: .folder("/relay", options: options)).deltasSent == 1)
    // A member goes on as such.
    try newcomer.put("mine", of: "o")
    #expect(try newcomer.sync(with: folder(nil)).deltasSent == 1)
  }

  @Test("A folder comes to be sealed: what isn't is not taken, and goes where it is one's own")
  func becomingSealed() throws {
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    try left.put(.string(Self.marker), of: "l")
    try right.put(.string(Self.marker), of: "r")
    try left.sync(with: folder(nil))
    try right.sync(with: folder(nil))
    #expect(readable.count == 2)
    let report = try left.sync(with: folder())
    #expect(report.deltasSent == 1 && report.deltasTaken == 0)
    #expect(report.findings.allSatisfy { $0.reason == .notSealed })
    #expect(readable.count == 1)
    try right.sync(with: folder())
    #expect(readable.isEmpty)
    #expect(try left.sync(with: folder()).findings.isEmpty)
    #expect(left.document == right.document)
  }

  @Test("A file with any byte changed, or cut, is reported, and nothing wrong is taken")
  func damage() throws {
    let left = try stores.open("/left")
    try left.put(.string(Self.marker))
    try left.sync(with: folder())
    try left.close()
    let image = stores.files.seenImage
    let (path, bytes) = try #require(files.first)
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1 << UInt8(place % 8)
      for damaged in [changed, Array(bytes[..<place])] {
        let stores = TestStores(
          SimulatedFileSystem(image.replacing(path, with: damaged)), replicasAfter: 50)
        let store = try stores.open("/new")
        do throws(StoreError) {
          let report = try store.sync(with: folder())
          #expect(report.deltasTaken == 0 && !report.findings.isEmpty, "byte \(place)")
        } catch {
          Issue.record("byte \(place): \(error)")
        }
        #expect(store.document.collections.isEmpty, "byte \(place)")
        #expect(stores.files.seenImage[path] == damaged, "byte \(place)")
      }
    }
  }
}
