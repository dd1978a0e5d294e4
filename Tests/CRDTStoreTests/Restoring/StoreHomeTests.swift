import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@testable import CRDTKit
@testable import CRDTStore

/// What a store takes for its home, on the machine's own disk.
@Suite("The home of a store")
struct StoreHomeTests {
  private let outer: TemporaryFolder
  private var path: String { "\(outer.path)/store" }
  private var files: StoreFiles { StoreFiles(path) }

  init() throws {
    outer = try TemporaryFolder()
  }

  private func open(_ name: String = "store") throws -> Store {
    var options = Store.Options()
    options.fileSystem = UnsyncedDisk()
    options.compaction = .manual
    return try Store.open(at: "\(outer.path)/\(name)", options: options)
  }

  /// Makes a store with a commit, and closes it.
  private func make() throws -> ReplicaID {
    let store = try open()
    try store.put("one")
    try store.close()
    try files.waitForClock()
    return store.replica
  }

  /// The home that the store's files hold, and that of its folder.
  private func homes() throws -> (recorded: UInt64, home: StoreHome) {
    let folder = try folder()
    defer { folder.close() }
    let contents = try #require(try StoreContents.read(folder))
    return (contents.identity.home, folder.home)
  }

  private func folder() throws -> StoreFolder {
    try StoreFolder(
      path, in: UnsyncedDisk(), creating: .nothing, isReadOnly: true, sealing: nil)
  }

  /// Gives the store the home that earlier versions would have given it, in its manifest.
  private func makeEarlier(home: (UInt64) -> UInt64 = { $0 }) throws {
    let folder = try folder()
    defer { folder.close() }
    var contents = try #require(try StoreContents.read(folder))
    let number = try files.lockIdentity().number
    contents.manifest.identity.home = home(number)
    try folder.write(contents.manifest, number: contents.manifestNumber + 1, of: contents.store)
  }

  @Test("A home is a digest of all that it is made of, and no inode's number")
  func value() {
    let lock = FileIdentity(number: 5, changeSeconds: 1, changeNanoseconds: 2)
    let folder = FileIdentity(number: 9, changeSeconds: 7, changeNanoseconds: 7)
    let home = StoreHome(lock: lock, folder: folder)
    // As sha256sum has it of "home" and the four numbers, the highest bit set.
    #expect(home.value == 0x9492_7274_2ae3_e9f3)
    #expect(home.earlierValue == 5)
    var others: Set<UInt64> = [home.value]
    for (number, seconds, nanoseconds, outer) in [
      (6, 1, 2, 9), (5, 2, 2, 9), (5, 1, 3, 9), (5, 2, 1, 9), (5, 1, 2, 8), (9, 1, 2, 5),
      (5, -1, 2, 9),
    ] as [(UInt64, Int64, Int64, UInt64)] {
      let lock = FileIdentity(
        number: number, changeSeconds: seconds, changeNanoseconds: nanoseconds)
      let folder = FileIdentity(number: outer, changeSeconds: 7, changeNanoseconds: 7)
      let other = StoreHome(lock: lock, folder: folder).value
      #expect(others.insert(other).inserted && other >> 63 == 1)
    }
    #expect(home.place(ofHome: home.value) == .home)
    #expect(home.place(ofHome: 5) == .earlierHome)
    #expect(home.place(ofHome: 6) == .elsewhere)
    #expect(home.place(ofHome: 0) == .elsewhere)
  }

  @Test("A store of an earlier version is no copy, and is noticed as one from then on")
  func earlierVersion() throws {
    let replica = try make()
    try makeEarlier()
    #expect(try homes().recorded == files.lockIdentity().number)
    let store = try open()
    #expect(!store.recovery.isCopy && store.replica == replica)
    try store.close()
    let (recorded, home) = try homes()
    #expect(recorded == home.value)
    let again = try open()
    #expect(!again.recovery.isCopy && again.replica == replica)
    try again.close()
    try files.copy(to: "\(outer.path)/backup")
    try files.overwrite(from: "\(outer.path)/backup")
    let restored = try open()
    #expect(restored.recovery.isCopy && restored.recovery.formerReplica == replica)
    #expect(restored.replica != replica)
    try restored.close()
  }

  @Test("A store whose home has neither form is a copy", arguments: [1, 2, 3])
  func strangeHome(_ change: UInt64) throws {
    let replica = try make()
    try makeEarlier { $0 + change << 40 }
    let store = try open()
    #expect(store.recovery.isCopy && store.replica != replica)
    try store.close()
    #expect(try homes().recorded == homes().home.value)
  }

  @Test("Renaming the folder, or moving it, changes nothing")
  func renamed() throws {
    let replica = try make()
    let lock = try files.lockIdentity()
    try files.move(to: "\(outer.path)/other")
    let other = try open("other")
    #expect(!other.recovery.isCopy && other.replica == replica)
    try other.close()
    let folder = "\(outer.path)/folder"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try StoreFiles("\(outer.path)/other").move(to: "\(folder)/store")
    try StoreFiles(folder).move(to: "\(outer.path)/renamed")
    let moved = try open("renamed/store")
    #expect(!moved.recovery.isCopy && moved.replica == replica)
    try moved.close()
    #expect(try StoreFiles("\(outer.path)/renamed/store").lockIdentity() == lock)
  }

  @Test(
    "What is done to LOCK from outside makes the store a copy, once",
    arguments: ["removed", "replaced", "moved", "permissions", "written"])
  func changedLock(_ change: String) throws {
    let replica = try make()
    let (lock, manager) = ("\(path)/LOCK", FileManager.default)
    switch change {
    case "removed": try manager.removeItem(atPath: lock)
    case "replaced":
      try manager.removeItem(atPath: lock)
      #expect(manager.createFile(atPath: lock, contents: nil))
    case "moved":
      try manager.moveItem(atPath: lock, toPath: "\(outer.path)/LOCK")
      try manager.moveItem(atPath: "\(outer.path)/LOCK", toPath: lock)
    case "permissions": try outer.setPermissions(0o600, of: "store/LOCK")
    default: try Data([1]).write(to: URL(fileURLWithPath: lock))
    }
    let store = try open()
    #expect(store.recovery.isCopy && store.replica != replica)
    try store.put("two")
    try store.close()
    let again = try open()
    #expect(!again.recovery.isCopy && again.replica == store.replica)
    #expect(again.document.value(of: "value", of: "r", in: "c") == "two")
    try again.close()
  }

  @Test("A copy of hard links shares no name with the store that it is of")
  func hardLinks() throws {
    let replica = try make()
    try files.link(to: "\(outer.path)/links")
    #expect(try files.lockIdentity() == StoreFiles("\(outer.path)/links").lockIdentity())
    let linked = try open("links")
    try linked.close()
    let store = try open()
    try store.close()
    #expect(Set([replica, linked.replica, store.replica]).count == 3)
  }

  @Test("Reading a store changes nothing of its home, and what is moved in place stays a copy")
  func reading() throws {
    let replica = try make()
    let (lock, homes) = (try files.lockIdentity(), try homes())
    try files.copy(to: "\(outer.path)/copy")
    var options = Store.Options()
    options.access = .readOnly
    let reader = try Store.open(at: "\(outer.path)/copy", options: options)
    #expect(!reader.recovery.isCopy && reader.replica == replica)
    try reader.close()
    #expect(try files.lockIdentity() == lock)
    #expect(try self.homes().recorded == homes.recorded)
    try files.remove()
    try StoreFiles("\(outer.path)/copy").move(to: path)
    let store = try open()
    #expect(store.recovery.isCopy && store.replica != replica)
    try store.close()
  }
}
