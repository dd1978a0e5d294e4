import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("A relay's folder")
struct RelayTests {
  let stores = TestStores()

  /// The paths of the files that stores have published.
  private var files: [String] {
    stores.files.seenImage.files.keys.filter { $0.hasPrefix("/relay/") }.sorted()
  }

  @Test("Stores come to hold the same by way of a folder, and then nothing more is written")
  func converging() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    let sent = try left.sync(with: .folder("/relay"))
    #expect(sent.deltasSent == 1 && sent.deltasTaken == 0 && sent.isSynchronized)
    let both = try right.sync(with: .folder("/relay"))
    #expect(both.deltasSent == 1 && both.deltasTaken == 1 && both.isSynchronized)
    let taken = try left.sync(with: .folder("/relay"))
    #expect(taken.deltasSent == 0 && taken.deltasTaken == 1 && taken.isSynchronized)
    #expect(left.document == right.document)
    #expect(left.document.value(of: "value", of: "r", in: "c") == "two")
    // Each says once more what it has taken in; then all is said.
    for store in [right, left, right, left] { try store.sync(with: .folder("/relay")) }
    let before = files
    for store in [right, left, right, left] {
      let report = try store.sync(with: .folder("/relay"))
      #expect(report.deltasSent == 0 && report.deltasTaken == 0 && report.isSynchronized)
    }
    #expect(files == before)
  }

  @Test("Several relays of one store take turns in a folder, by whatever path they come")
  func turns() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    try folder.link("link", to: "\(path)/relay")
    let left = try await Store.open(at: "\(path)/left")
    let relays = ["relay", "./relay", "relay/", "link"].map { left.relay(at: "\(path)/\($0)") }
    try await relays[0].sync()
    for round in 0..<10 {
      try await left.edit { $0.create("r\(round)", in: "c") }
      let reports = try await withThrowingTaskGroup(of: Store.SyncReport.self) { group in
        for relay in relays { group.addTask { try await relay.sync() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(reports.allSatisfy { $0.findings.isEmpty && $0.isSynchronized })
      #expect(reports.reduce(0) { $0 + $1.deltasSent } == 1)
    }
    let right = try await Store.open(at: "\(path)/right")
    #expect(try await right.sync(with: .folder("\(path)/relay")).findings.isEmpty)
    #expect(left.document == right.document)
    try await left.close()
    try await right.close()
  }

  @Test("What was removed stays removed, and late files bring nothing back")
  func removals() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.put("one", of: "r")
    try left.sync(with: .folder("/relay"))
    try right.sync(with: .folder("/relay"))
    try right.edit { $0.delete("r", in: "c") }
    try right.sync(with: .folder("/relay"))
    try left.sync(with: .folder("/relay"))
    #expect(left.document.records(in: "c") == [])
    #expect(left.document == right.document)
  }

  @Test("Nothing is published that a power cut could take back")
  func relaxedCommits() throws {
    let store = try stores.open()
    try store.edit(.relaxed) { $0.create("r", in: "c") }
    try store.sync(with: .folder("/relay"))
    #expect(store.statistics.pendingCommits == 0)
  }

  @Test("A long delta is in the log as it came, and is read again from there")
  func longDeltas() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    for round in 0..<3 {
      try left.edit { edit in
        for number in 0..<400 {
          edit.set(
            "value", of: "r\(round) \(number)", in: "c", to: .string("text \(number * round)"))
        }
      }
      try right.put(.int(Int64(round)), of: "mine")
      try left.sync(with: .folder("/relay"))
      #expect(try right.sync(with: .folder("/relay")).bytesTaken > 4_096)
      // What comes after it goes on from the names before.
      try right.put(.int(Int64(round)), of: "after")
    }
    let document = right.document
    try right.close()
    let log = try #require(
      stores.files.seenImage.files.first {
        $0.key.hasPrefix("/right/segments/") && $0.value.count > 4_096
      })
    let again = try stores.open("/right")
    #expect(again.document == document)
    #expect(try again.verify().isSound)
    try again.close()
    // Damage within is found as everywhere in the log.
    var damaged = log.value
    damaged[damaged.count / 2] ^= 1
    let other = TestStores(
      SimulatedFileSystem(stores.files.seenImage.replacing(log.key, with: damaged)))
    #expect(throws: StoreError.self) { try other.open("/right") }
  }

  @Test("All commits since the last round go into one file")
  func gathering() throws {
    let store = try stores.open()
    for number in 0..<100 { try store.put(.int(Int64(number)), of: "r\(number)") }
    #expect(try store.sync(with: .folder("/relay")).deltasSent == 1)
    #expect(files.count == 1)
  }

  @Test("A store tells its peers what it has taken in")
  func acknowledging() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.put("one")
    for store in [left, right, left] { try store.sync(with: .folder("/relay")) }
    #expect(left.peers.map(\.replica) == [right.replica])
    #expect(left.peers.map(\.version) == [right.document.version])
    #expect(right.peers.map(\.replica) == [left.replica])
    #expect(
      try left.relay(at: "/relay").peers().map(\.replica).sorted()
        == [left.replica, right.replica].sorted())
  }

  @Test("A delta whose base isn't there waits, and says for what")
  func gaps() throws {
    let left = try stores.open("/left")
    try left.put("one")
    try left.sync(with: .folder("/relay"))
    let first = try #require(files.first)
    let version = left.document.version
    try left.put("two")
    try left.sync(with: .folder("/relay"))
    let image = stores.files.seenImage
    let other = TestStores(
      SimulatedFileSystem(image.replacing(first, with: nil)), replicasAfter: 5)
    let right = try other.open("/right")
    let report = try right.sync(with: .folder("/relay"))
    #expect(report.missing == version && !report.isSynchronized)
    #expect(report.deltasTaken == 0 && right.document.version == [:])
    // Its writer finds that it is gone, and makes up for it.
    let again = try other.open("/left")
    #expect(try again.sync(with: .folder("/relay")).deltasSent == 1)
    #expect(try right.sync(with: .folder("/relay")).isSynchronized)
    #expect(right.document == again.document)
  }

  @Test("Many rounds leave few files, and each change is written few times")
  func merging() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    let (mine, theirs) = (left.relay(at: "/relay"), right.relay(at: "/relay"))
    var sent = 0
    for number in 0..<300 {
      try left.put(.int(Int64(number)), of: "r\(number)")
      sent += try mine.sync().bytesSent
      try theirs.sync()
    }
    try mine.sync()
    #expect(left.document == right.document)
    let whole = left.document.encoded().count
    #expect(sent < 12 * whole, "\(sent) bytes for \(whole)")
    #expect(files.count < 24, "\(files)")
    // Whoever comes later has all that they need.
    let late = try stores.open("/late")
    #expect(try late.sync(with: .folder("/relay")).isSynchronized)
    #expect(late.document == left.document)
  }

  @Test("Files that another replica's make needless go when all know of those")
  func supersededByOthers() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.put("one")
    try left.sync(with: .folder("/relay"))
    try right.sync(with: .folder("/relay"))
    let (mine, theirs) = (left.relay(at: "/relay"), right.relay(at: "/relay"))
    try theirs.publishAll()
    for _ in 0..<3 {
      try mine.sync()
      try theirs.sync()
    }
    // What is left is one delta; either replica has one file.
    #expect(files.count == 2, "\(files)")
    let late = try stores.open("/late")
    #expect(try late.sync(with: .folder("/relay")).isSynchronized)
    #expect(late.document == left.document)
  }

  @Test("A needless file stays for the grace period where somebody may not know why")
  func grace() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.put("one")
    try left.sync(with: .folder("/relay"))
    try right.sync(with: .folder("/relay"))
    let count = files.count
    try left.relay(at: "/relay").publishAll()
    #expect(files.count == count + 1)
    stores.clock.milliseconds += 86_400_000 + 1
    try left.sync(with: .folder("/relay"))
    // One was needless; another says anew that the replica is there.
    #expect(files.count == count + 1)
    #expect(try stores.open("/late").sync(with: .folder("/relay")).isSynchronized)
  }

  @Test("A store restored from a backup finds its lost changes, and writes as another replica")
  func restoredBackup() throws {
    let store = try stores.open("/store")
    try store.put("one")
    try store.backUp(to: "/backup")
    try store.put("two", of: "lost")
    try store.sync(with: .folder("/relay"))
    let old = store.replica
    try store.close()
    // Put back where it was, so that it can't be told from the store by its files.
    let backup = try stores.open("/backup")
    #expect(backup.recovery.isCopy)
    try backup.sync(with: .folder("/relay"))
    #expect(backup.document.value(of: "value", of: "lost", in: "c") == "two")
    #expect(backup.replica != old)
  }

  @Test("A replica whose own later events are in the folder takes a new name")
  func rolledBack() throws {
    let store = try stores.open("/store")
    try store.put("one")
    try store.flush()
    let image = stores.files.seenImage
    try store.put("two", of: "lost")
    try store.sync(with: .folder("/relay"))
    let old = store.replica
    // The disk is put back to what it was, but for the relay's folder.
    var rolledBack = image
    for path in files {
      rolledBack = rolledBack.replacing(path, with: stores.files.seenImage[path])
    }
    let other = TestStores(SimulatedFileSystem(rolledBack), replicasAfter: 50)
    let restored = try other.open("/store") { _ in }
    try restored.sync(with: .folder("/relay"))
    #expect(restored.replica != old)
    #expect(restored.document.value(of: "value", of: "lost", in: "c") == "two")
    try restored.put("three", of: "new")
    let report = try restored.sync(with: .folder("/relay"))
    #expect(report.isSynchronized)
    let late = try other.open("/late")
    try late.sync(with: .folder("/relay"))
    #expect(late.document == restored.document && late.document.forks == [])
  }

  @Test("Files under other names, twice, or of others, are told apart by what is in them")
  func renamed() throws {
    let left = try stores.open("/left")
    try left.put("one")
    try left.sync(with: .folder("/relay"))
    let path = try #require(files.first)
    let bytes = try #require(stores.files.seenImage[path])
    let folder = String(path.dropLast(path.split(separator: "/").last?.count ?? 0))
    let image = stores.files.seenImage.replacing(path, with: nil)
      .replacing(folder + "0001 (conflicted copy).delta", with: bytes)
      .replacing(folder + "0002 (conflicted copy).delta", with: bytes)
      .replacing(folder + ".syncthing.0001.delta.tmp", with: [1])
      .replacing("/relay/notes.txt", with: [1])
      .replacing("/relay/.stfolder", with: [])
      .replacing("/relay/00000000000000ff/0000000000000001.delta", with: bytes)
    let right = try TestStores(SimulatedFileSystem(image), replicasAfter: 9).open("/right")
    let report = try right.sync(with: .folder("/relay"))
    #expect(report.deltasTaken == 1)
    #expect(right.document == left.document)
    #expect(
      report.findings == [
        FolderRelay.Finding(
          path: "/relay/00000000000000ff/0000000000000001.delta",
          reason: .damaged("it is a file of replica \(left.replica)")),
        FolderRelay.Finding(path: "/relay/notes.txt", reason: .unknown),
      ])
  }

  @Test("A file in which any byte is another, or that ends anywhere, is left as it is")
  func damage() throws {
    let left = try stores.open("/left")
    try left.put("one")
    try left.sync(with: .folder("/relay"))
    let path = try #require(files.first)
    let image = stores.files.seenImage
    let bytes = try #require(image[path])
    var variants: [[UInt8]] = (0..<bytes.count).map { Array(bytes[..<$0]) }
    for place in 0..<bytes.count {
      for bit in 0..<8 where (place + bit).isMultiple(of: 3) {
        var other = bytes
        other[place] ^= 1 << bit
        variants.append(other)
      }
    }
    variants.append(bytes + [0])
    for (number, variant) in variants.enumerated() {
      let files = SimulatedFileSystem(image.replacing(path, with: variant))
      let others = TestStores(files, replicasAfter: 20)
      let right = try others.open("/right")
      let report = try right.sync(with: .folder("/relay"))
      #expect(report.findings.map(\.path) == [path], "variant \(number)")
      #expect(right.document.version == [:], "variant \(number)")
      #expect(files.seenImage[path] == variant)
      try right.close()
    }
  }

  @Test("A file that comes in part is taken when the rest of it has come")
  func late() throws {
    let left = try stores.open("/left")
    try left.put("one")
    try left.sync(with: .folder("/relay"))
    let path = try #require(files.first)
    let bytes = try #require(stores.files.seenImage[path])
    let others = TestStores(
      SimulatedFileSystem(stores.files.seenImage.replacing(path, with: Array(bytes[..<30]))),
      replicasAfter: 20)
    let right = try others.open("/right")
    let relay = right.relay(at: "/relay")
    #expect(try relay.sync().findings == [FolderRelay.Finding(path: path, reason: .incomplete)])
    let names = path.split(separator: "/").map(String.init)
    let root = try others.files.openFolder(at: "/relay/\(names[1])")
    let file = try others.files.open(names[2], in: root, for: .writing)
    try others.files.write(bytes, to: file)
    #expect(try relay.sync().findings == [])
    #expect(right.document == left.document)
  }

  @Test("A stamp from too far ahead is refused, and nothing else with it")
  func drift() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try right.put("fine", of: "right")
    let ahead = ManualClock(milliseconds: stores.clock.milliseconds + 3_600_000)
    try left.close()
    let fast = try stores.open("/left") { $0.clock = ahead }
    try fast.put("early")
    try fast.sync(with: .folder("/relay"))
    let report = try right.sync(with: .folder("/relay"))
    #expect(report.deltasTaken == 0 && report.deltasSent == 1 && !report.isSynchronized)
    guard case .refused(.clockDrift)? = report.findings.first?.reason else {
      Issue.record("\(report.findings)")
      return
    }
    stores.clock.milliseconds += 3_600_000
    #expect(try right.sync(with: .folder("/relay")).isSynchronized)
    #expect(right.document.value(of: "value", of: "r", in: "c") == "early")
  }

  @Test("A store that is only read, or a folder in a folder that isn't there, is refused")
  func refusals() throws {
    let store = try stores.open("/store")
    #expect(throws: StoreError.self) { try store.sync(with: .folder("/nowhere/relay")) }
    #expect(throws: StoreError.alreadyExists(path: "/store")) {
      try store.sync(with: .folder("/store"))
    }
    try store.close()
    #expect(throws: StoreError.closed(path: "/store")) {
      try store.sync(with: .folder("/relay"))
    }
    let reader = try stores.open("/store") { $0.access = .readOnly }
    #expect(throws: StoreError.readOnly(path: "/store")) {
      try reader.sync(with: .folder("/relay"))
    }
  }

  @Test("Two stores in one process come to hold the same")
  func pair() throws {
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.put("one", of: "l")
    try right.put("two", of: "r")
    let report = try left.sync(with: .store(right))
    #expect(report.isSynchronized && report.deltasSent == 1 && report.deltasTaken == 1)
    #expect(left.document == right.document && left.document.records(in: "c") == ["l", "r"])
    #expect(left.peers.map(\.replica) == [right.replica])
    #expect(try left.sync(with: .store(left)).isSynchronized)
  }
}
