import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("A relay's folder and files of other documents")
struct RelayDocumentTests {
  let stores = TestStores()

  private static func id(_ number: UInt64) -> DocumentID { DocumentID(high: 0, low: number) }

  /// Opens a store of which nobody says which document it is.
  private func open(_ name: String, _ number: UInt64) throws -> Store {
    try stores.open("/\(name)") {
      $0.documentID = nil
      $0.makeDocumentID = { Self.id(number) }
      $0.makeStoreNumber = { number }
    }
  }

  /// Two stores that have written, each with a folder of its own.
  private func pair(
    sealedWith key: UInt64? = nil
  ) throws -> (Store, Store) {
    let (left, right) = (try open("left", 1), try open("right", 2))
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    try left.sync(with: folder("/fl", key))
    try right.sync(with: folder("/fr", key))
    return (left, right)
  }

  private func folder(_ path: String, _ key: UInt64? = nil) -> Store.SyncTarget {
    var options = FolderRelay.Options.standard
    options.sealing = key.map { TestSealing(key: $0) }
    return .folder(path, options: options)
  }

  private func files(in folder: String) -> [String: [UInt8]] {
    stores.files.seenImage.files.filter { $0.key.hasPrefix(folder + "/") }
  }

  /// Copies the files of a folder into another, as `cp -r` does.
  private func copy(_ source: String, to target: String) throws {
    let disk = stores.files
    for (path, bytes) in files(in: source) {
      let parts = path.split(separator: "/").map(String.init)
      try? disk.makeFolder(at: target)
      try? disk.makeFolder(at: "\(target)/\(parts[1])")
      let folder = try disk.openFolder(at: "\(target)/\(parts[1])")
      defer { disk.close(folder) }
      let file = try disk.open(parts[2], in: folder, for: .creating)
      defer { disk.close(file) }
      try disk.write(bytes, to: file)
    }
  }

  @Test("A mistyped path is refused, and nothing is written there or taken in")
  func wrongPath() throws {
    for key in [nil, 1] as [UInt64?] {
      let (left, right) = (try open("left \(key ?? 0)", 1), try open("right \(key ?? 0)", 2))
      try left.put("one", of: "l")
      try right.put("two", of: "r")
      let path = "/relay \(key ?? 0)"
      try left.sync(with: folder(path, key))
      let (before, document) = (files(in: path), right.document)
      let expected = StoreError.otherDocument(
        path: path, found: Self.id(1), expected: Self.id(2))
      #expect(throws: expected) { try right.sync(with: folder(path, key)) }
      #expect(files(in: path) == before && right.document == document)
      #expect("\(expected)".contains(path) && "\(expected)".contains("join"))
    }
  }

  @Test("Files of another document that were copied there are reported, and left alone")
  func copiedFolder() throws {
    for key in [nil, 1] as [UInt64?] {
      let suite = RelayDocumentTests()
      let (left, right) = try suite.pair(sealedWith: key)
      try suite.copy("/fl", to: "/fr")
      let foreign = suite.files(in: "/fl").keys.map { "/fr" + $0.dropFirst(3) }
      try right.put("three", of: "r3")
      for _ in 0..<2 {
        let report = try right.sync(with: suite.folder("/fr", key))
        #expect(report.isSynchronized && report.deltasTaken == 0)
        #expect(report.findings.map(\.reason) == [.otherDocument(Self.id(1))])
        #expect(report.findings.map(\.path) == foreign)
      }
      #expect(right.document.records(in: "c") == ["r", "r3"])
      #expect(suite.files(in: "/fr")[foreign[0]] != nil)
      // It doesn't stop others of the document that knew it.
      let friend = try suite.stores.open("/friend") { $0.documentID = Self.id(2) }
      #expect(try friend.sync(with: suite.folder("/fr", key)).deltasTaken > 0)
      #expect(friend.document == right.document)
      // An empty store can't know which of the two is meant.
      let late = try suite.open("late", 3)
      #expect(
        throws: StoreError.severalDocuments(path: "/fr", found: [Self.id(1), Self.id(2)])
      ) { try late.sync(with: suite.folder("/fr", key)) }
      #expect(late.document.version.isEmpty && late.documentID == nil)
      try late.join(document: Self.id(2))
      #expect(try late.sync(with: suite.folder("/fr", key)).isSynchronized)
      #expect(late.document == right.document)
      _ = left
    }
  }

  @Test("An empty store takes the document of a folder, sealed or not, and keeps it")
  func adopting() throws {
    for key in [nil, 1] as [UInt64?] {
      let suite = RelayDocumentTests()
      let (left, right) = try suite.pair(sealedWith: key)
      let late = try suite.open("late", 3)
      #expect(try late.sync(with: suite.folder("/fl", key)).isSynchronized)
      #expect(late.documentID == Self.id(1) && late.document == left.document)
      try late.close()
      let again = try suite.open("late", 4)
      #expect(again.documentID == Self.id(1))
      #expect(throws: StoreError.self) { try again.sync(with: suite.folder("/fr", key)) }
      _ = right
    }
  }

  @Test("Empty stores that were there first leave the document to who writes first")
  func emptyFirst() throws {
    let all = try (1...3).map { try open("store \($0)", $0) }
    for store in all { #expect(try store.sync(with: .folder("/relay")).isSynchronized) }
    try all[1].put("one")
    for store in [all[1], all[0], all[2]] { try store.sync(with: .folder("/relay")) }
    for store in all {
      #expect(store.documentID == Self.id(2) && store.document == all[1].document)
    }
    for store in all { try store.put("more", of: store.path) }
    for store in all + all { try store.sync(with: .folder("/relay")) }
    #expect(all[0].document == all[1].document && all[1].document == all[2].document)
  }

  @Test("Joined documents come together by way of a folder, and those who knew but one")
  func joining() throws {
    let (left, right) = try pair()
    let friend = try open("friend", 3)
    try friend.sync(with: .folder("/fl"))
    #expect(friend.documentID == Self.id(1))
    try right.join(document: Self.id(1))
    for store in [right, left, friend, right] { try store.sync(with: .folder("/fl")) }
    for store in [left, friend] {
      #expect(store.document == right.document && store.documentID == Self.id(1))
    }
    // What one published before knows the old one alone.
    #expect(try left.sync(with: .folder("/fr")).findings.isEmpty)
    let late = try open("late", 4)
    #expect(try late.sync(with: .folder("/fr")).isSynchronized)
    #expect(late.document == left.document && late.documentID == Self.id(1))
  }

  @Test("Files of earlier versions, sealed or not, name no document, and are taken in")
  func earlierVersions() throws {
    for (key, version) in [(nil, 2), (1, 3)] as [(UInt64?, UInt8)] {
      let suite = RelayDocumentTests()
      let (left, right) = try suite.pair(sealedWith: key)
      let path = try #require(suite.files(in: "/fl").keys.first)
      let parts = path.split(separator: "/").map(String.init)
      let sealing = key.map { TestSealing(key: $0) }
      let root = try RelayFolder("/fl", in: suite.stores.files, sealing: sealing)
      let folder = try RelayFolder(parts[1], in: root, creating: false)
      var room = 1 << 20
      guard
        case .file(var file, var head, let start) = try folder.look(
          at: parts[2], bytesMax: 1 << 20, memoryLeft: &room)
      else {
        Issue.record("the file isn't whole")
        return
      }
      let stored = try #require(
        try folder.bytes(of: parts[2], from: start, count: file.deltaSize))
      let delta = try folder.openedContent(stored, in: head, at: path, offset: start)
      (head.version, head.document, file.document) = (version, nil, nil)
      (file.digest, file.heads) = (nil, nil)
      let content = try folder.sealedContent(delta, in: head, at: path)
      file.deltaSize = UInt64(content.count)
      file.deltaChecksum = SnapshotFile.checksum(of: content)
      var body = ByteWriter()
      // Without the document, which is the last byte.
      body.write(Array(file.encodedHead.finish().dropLast()))
      let bytes = try folder.file(head, framing: body, at: path) + content
      folder.close()
      root.close()
      try left.close()
      try right.close()
      let image = suite.stores.files.seenImage.replacing(path, with: bytes)
      let stores = TestStores(SimulatedFileSystem(image), replicasAfter: 50)
      for number in 0..<2 as Range<UInt64> {
        let store = try stores.open("/new \(number)") { options in
          if number == 0 { options.documentID = nil }
        }
        let report = try store.sync(with: suite.folder("/fl", key))
        #expect(report.findings == [] && report.deltasTaken == 1, "\(version)")
        #expect(store.document.records(in: "c") == ["l"])
        #expect(store.documentID == (number == 0 ? nil : TestStores.document))
      }
    }
  }

  @Test("A sealed file doesn't open for another document than the one that it names")
  func forgedDocument() throws {
    let (left, right) = try pair(sealedWith: 1)
    let path = try #require(files(in: "/fl").keys.first)
    var bytes = try #require(files(in: "/fl")[path])
    // The identifier stands in the first frame, before what is sealed.
    let place = 24 + 16 + 1
    let own = Array(repeating: 0 as UInt8, count: 15)
    try #require(Array(bytes[place..<place + 16]) == own + [1])
    bytes[place + 15] = 2
    // Somebody without the key can make the checksums right.
    var head = ByteReader(bytes)
    let file = try FileHead(from: &head, kind: .relay)
    let size = Int(bytes[24]) | Int(bytes[25]) << 8
    bytes.withUnsafeMutableBytes {
      Frame.seal(
        UnsafeMutableRawBufferPointer(rebasing: $0[24..<24 + 16 + size]), at: 24, in: file)
    }
    let image = stores.files.seenImage.replacing("/fr" + path.dropFirst(3), with: bytes)
    try left.close()
    try right.close()
    let others = TestStores(SimulatedFileSystem(image), replicasAfter: 50)
    let again = try others.open("/right") { $0.documentID = nil }
    let report = try again.sync(with: folder("/fr", 1))
    #expect(report.findings.map(\.reason) == [.sealed] && report.deltasTaken == 0)
    #expect(again.document.records(in: "c") == ["r"])
  }
}
