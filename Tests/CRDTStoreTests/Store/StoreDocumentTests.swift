import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Of which document a store is")
struct StoreDocumentTests {
  let stores = TestStores()

  private static func id(_ number: UInt64) -> DocumentID { DocumentID(high: 0, low: number) }

  /// Opens a store of which nobody says which document it is.
  private func open(
    _ name: String, _ number: UInt64, in stores: TestStores? = nil
  ) throws -> Store {
    try (stores ?? self.stores).open("/\(name)") {
      $0.documentID = nil
      $0.makeDocumentID = { Self.id(number) }
      $0.makeStoreNumber = { number }
    }
  }

  @Test("Stores in which was written before they met refuse each other, and take nothing in")
  func unrelated() throws {
    let (left, right) = (try open("left", 1), try open("right", 2))
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    let (mine, theirs) = (left.document, right.document)
    let expected = StoreError.otherDocument(
      path: right.path, found: Self.id(2), expected: Self.id(1))
    #expect(throws: expected) { try left.sync(with: .store(right)) }
    #expect(
      throws: StoreError.otherDocument(path: left.path, found: Self.id(1), expected: Self.id(2))
    ) { try right.sync(with: .store(left)) }
    #expect(left.document == mine && right.document == theirs)
    #expect("\(expected)".contains("\(Self.id(2))") && "\(expected)".contains("join"))
  }

  @Test("An empty store takes the document of the first that it meets, and keeps it")
  func adopting() throws {
    let (left, right) = (try open("left", 1), try open("right", 2))
    try left.put("one", of: "l")
    #expect(left.documentID == Self.id(1) && right.documentID == nil)
    #expect(try right.sync(with: .store(left)).isSynchronized)
    #expect(right.documentID == Self.id(1) && left.document == right.document)
    try right.close()
    let again = try open("right", 3)
    #expect(again.documentID == Self.id(1))
    try again.put("two", of: "r")
    #expect(try left.sync(with: .store(again)).isSynchronized)
    let third = try open("third", 3)
    try third.put("three")
    #expect(throws: StoreError.self) { try third.sync(with: .store(again)) }
  }

  @Test("Empty stores that meet are one document, whoever writes first")
  func emptyMeeting() throws {
    let (left, right) = (try open("left", 1), try open("right", 2))
    #expect(try left.sync(with: .store(right)).isSynchronized)
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    #expect(try left.sync(with: .store(right)).isSynchronized)
    #expect(left.document == right.document)
    #expect(left.documentID == Self.id(1) && right.documentID == Self.id(1))
  }

  @Test("Whoever writes while the greetings are under way is refused or of one document")
  func writingMeanwhile() throws {
    for writers in 0..<4 {
      let stores = TestStores()
      let left = try open("left", 1, in: stores)
      let right = try open("right", 2, in: stores)
      let (mine, theirs) = (left.session(), right.session())
      let (toRight, toLeft) = (try mine.connect().bytes, try theirs.connect().bytes)
      if writers & 1 == 1 { try left.put("one", of: "l") }
      if writers & 2 == 2 { try right.put("two", of: "r") }
      var (forLeft, forRight) = (
        try theirs.receive(toRight).bytes, try mine.receive(toLeft).bytes
      )
      while !forLeft.isEmpty || !forRight.isEmpty {
        (forRight, forLeft) = (
          forLeft.isEmpty ? [] : try mine.receive(forLeft).bytes,
          forRight.isEmpty ? [] : try theirs.receive(forRight).bytes
        )
      }
      // Both had greeted each other as empty.
      #expect(left.document == right.document)
      mine.disconnect()
      theirs.disconnect()
      #expect(try left.sync(with: .store(right)).isSynchronized, "\(writers)")
    }
  }

  @Test("A store that wrote after it had greeted doesn't take in another document")
  func writingAfterGreeting() throws {
    let (left, right) = (try open("left", 1), try open("right", 2))
    try left.put("one", of: "l")
    let (mine, theirs) = (left.session(), right.session())
    let (toRight, _) = (try mine.connect().bytes, try theirs.connect().bytes)
    try right.put("two", of: "r")
    let answer = try theirs.receive(toRight)
    guard case .close(let failure)? = answer.last else {
      Issue.record("it goes on")
      return
    }
    #expect(failure == .differentDocument(found: Self.id(1), own: Self.id(2)))
    #expect(right.documentID == Self.id(2) && right.document.records(in: "c") == ["r"])
  }

  @Test("Joined stores are one document, by whichever identifier others know it")
  func joining() throws {
    let (left, right) = (try open("left", 2), try open("right", 1))
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    let friend = try open("friend", 3)
    #expect(try friend.sync(with: .store(left)).isSynchronized)
    #expect(friend.documentID == Self.id(2))
    try left.join(document: Self.id(1))
    #expect(left.documentID == Self.id(1))
    try left.close()
    let again = try open("left", 9)
    #expect(try again.sync(with: .store(right)).isSynchronized)
    // It knows nothing of that yet.
    #expect(try friend.sync(with: .store(right)).isSynchronized)
    #expect(friend.documentID == Self.id(1))
    #expect(friend.document == again.document && right.documentID == Self.id(1))
    let stranger = try open("stranger", 4)
    try stranger.put("four")
    #expect(throws: StoreError.self) { try stranger.sync(with: .store(friend)) }
  }

  @Test("The app says which document it is, and stores that wrote before they met are one")
  func named() throws {
    let account = DocumentID(named: "account-42")
    #expect(
      account == DocumentID(named: "account-42") && account != DocumentID(named: "account-43"))
    let open = { (name: String) throws(StoreError) in
      try stores.open(name) { $0.documentID = account }
    }
    let (left, right) = (try open("/left"), try open("/right"))
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    #expect(try left.sync(with: .store(right)).isSynchronized)
    try left.close()
    #expect(
      throws: StoreError.otherDocument(
        path: "/left", found: account, expected: TestStores.document)
    ) { try stores.open("/left") }
    #expect(try open("/left").documentID == account)
  }

  @Test("Backups, compaction, salvage and verifying keep the document")
  func keeping() throws {
    let store = try open("store", 1)
    try store.put("one")
    try store.join(document: Self.id(5))
    try store.backUp(to: "/backup")
    try store.put("two")
    try store.compact()
    try store.close()
    for path in ["/backup", "/store"] {
      let report = try Store.verify(
        at: path, fileSystem: stores.files, sealing: stores.options.sealing)
      #expect(report.isSound && report.documentID == Self.id(1))
      let opened = try stores.open(path) { $0.documentID = Self.id(5) }
      #expect(opened.documentID == Self.id(1))
      try opened.close()
    }
    for path in ["/backup/MANIFEST", "/store/MANIFEST"] {
      let image = stores.files.seenImage.replacing(path, with: [1, 2, 3])
      let damaged = TestStores(SimulatedFileSystem(image), replicasAfter: 50)
      let folder = String(path.dropLast(9))
      _ = try Store.salvage(at: folder, options: damaged.options)
      #expect(try damaged.open(folder) { $0.documentID = Self.id(5) }.documentID == Self.id(1))
    }
  }

  @Test("What an app took in by itself makes no document of its own of an empty store")
  func unnamed() throws {
    let (left, right) = (try open("left", 1), try open("right", 2))
    try left.put("one")
    try right.apply(left.document.delta(since: [:]))
    #expect(right.documentID == nil)
    #expect(try right.sync(with: .store(left)).isSynchronized)
    #expect(right.documentID == Self.id(1))
  }
}

/// Power cuts while an empty store comes to a document.
@Suite("Of which document a store is, and crashes")
struct StoreDocumentCrashTests {
  private static func open(
    _ path: String, _ number: UInt64, _ files: SimulatedFileSystem
  ) throws -> Store {
    try TestStores(files, replicasAfter: number * 10).open(path) {
      $0.documentID = nil
      $0.makeDocumentID = { DocumentID(high: 0, low: number) }
      $0.makeStoreNumber = { number }
    }
  }

  private static func work(_ files: SimulatedFileSystem, _ recorder: CrashRecorder) throws {
    let left = try open("/left", 2, files)
    let right = try open("/right", 1, files)
    try left.put("one", of: "l")
    recorder.issue()
    #expect(try right.sync(with: .store(left)).isSynchronized)
    recorder.acknowledge()
    try right.put("two", of: "r")
    try right.sync(with: .folder("/relay"))
    let late = try open("/late", 3, files)
    recorder.issue()
    try late.sync(with: .folder("/relay"))
    recorder.acknowledge()
    for store in [left, right, late] { try store.close() }
  }

  /// What is wrong with what a crash has left: who has taken in something of a document is of
  /// that document, and all still come together.
  private static func discrepancy(_ image: DiskImage, _ moment: CrashMoment) -> String? {
    let files = SimulatedFileSystem(image)
    let document = DocumentID(high: 0, low: 2)
    do {
      let left = try open("/left", 2, files)
      let right = try open("/right", 1, files)
      let late = try open("/late", 3, files)
      let acknowledged = moment.acknowledgedNumbers.count
      for (place, store) in [right, late].enumerated() {
        let id = store.documentID
        guard id == document || (id == nil && acknowledged <= place) else {
          return "\(store.path) is of \(id.map(\.description) ?? "none")"
        }
      }
      if left.document.version.isEmpty { try left.put("one", of: "l") }
      for other in [right, late, right] {
        let report = try left.sync(with: .store(other))
        guard report.isSynchronized else { return "\(report)" }
      }
      return files.misuses.isEmpty ? nil : "\(files.misuses)"
    } catch {
      return "\(error)"
    }
  }

  @Test("Power cuts at every call leave no store of a document with what is another's")
  func powerCuts() async {
    let explorer = CrashExplorer(choices: .few, seed: 5)
    let found = await explorer.explore(
      { try Self.work($0, $1) }, check: { Self.discrepancy($0, $1) })
    #expect(found.failures == [])
    #expect(found.caseCount > 20)
  }
}
