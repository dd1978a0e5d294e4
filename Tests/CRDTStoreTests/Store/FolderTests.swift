import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

/// The folder of a store on the machine's own disk.
@Suite("The folder of a store")
struct FolderTests {
  private let outer: TemporaryFolder
  private var path: String { "\(outer.path)/store" }

  init() throws {
    outer = try TemporaryFolder()
  }

  private func options(_ access: Store.Options.Access = .readWrite) -> Store.Options {
    var options = Store.Options()
    options.documentID = TestStores.document
    options.compaction = .manual
    options.access = access
    options.segmentBytes = 1_000
    return options
  }

  private func open(
    _ access: Store.Options.Access = .readWrite, at path: String? = nil
  ) throws -> Store {
    try Store.open(at: path ?? self.path, options: options(access))
  }

  private func set(_ field: String, _ store: Store) throws {
    try store.edit { $0.set([field], of: "r", in: "c", to: .string(field)) }
  }

  /// A store with all kinds of files, closed; what it holds.
  @discardableResult
  private func make(at path: String? = nil) throws -> Document {
    let store = try open(at: path)
    try set("first", store)
    try store.compact()
    try set("second", store)
    let document = store.document
    try store.close()
    return document
  }

  @Test("A store is whole without its empty folders, which archives leave out")
  func withoutEmptyFolders() throws {
    let store = try open()
    try set("first", store)
    try store.close()
    try FileManager.default.removeItem(atPath: "\(path)/snapshots")
    let error = #expect(throws: StoreError.self) { _ = try open(.readOnly) }
    #expect("\(try #require(error))".contains("snapshots"))
    let again = try open()
    try set("second", again)
    try again.compact()
    try again.close()
    let whole = try open(.readOnly)
    for field in ["first", "second"] {
      #expect(whole.document.value(of: [field], of: "r", in: "c") == .string(field))
    }
    try whole.close()
  }

  /// Everything beneath a folder: its kind, rights and bytes by its path.
  private func tree(_ path: String) throws -> [String: String] {
    var tree: [String: String] = [:]
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: path) {
      let facts = try manager.attributesOfItem(atPath: "\(path)/\(name)")
      let rights = String(facts[.posixPermissions] as? Int ?? 0, radix: 8)
      let bytes = manager.contents(atPath: "\(path)/\(name)")?.base64EncodedString() ?? ""
      tree[name] = "\(facts[.type] ?? "") \(rights) \(bytes)"
    }
    return tree
  }

  /// The error that opening the store gives.
  private func failure(_ access: Store.Options.Access = .readWrite) -> StoreError? {
    do {
      try open(access).close()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  private func exchange(_ left: Store, _ right: Store) throws -> [SyncFailure] {
    let (one, two) = (left.session(), right.session())
    var failures: [SyncFailure] = []
    func bytes(_ actions: [Store.Session.Action]) -> [UInt8] {
      var bytes: [UInt8] = []
      for action in actions {
        switch action {
        case .send(let sent): bytes += sent
        case .close(let failure): failures.append(failure)
        }
      }
      return bytes
    }
    var toRight = bytes(try one.connect())
    var toLeft = bytes(try two.connect())
    for _ in 0..<50 where !toLeft.isEmpty || !toRight.isEmpty {
      let (left, right) = (toLeft, toRight)
      toRight = bytes(try one.receive(left))
      toLeft = bytes(try two.receive(right))
    }
    one.disconnect()
    two.disconnect()
    return failures
  }

  @Test("Files are for their owner only")
  func permissions() throws {
    try make()
    let log = try #require(try tree(path).keys.filter { $0.hasSuffix(".segment") }.max())
    let handle = try #require(FileHandle(forWritingAtPath: "\(path)/\(log)"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([1, 2, 3]))
    try handle.close()
    let store = try open()
    #expect(store.recovery.bytesSetAside == 3)
    try store.close()
    #expect(try outer.permissions(of: "store") == 0o700)
    for (name, facts) in try tree(path) {
      let isFolder = ["segments", "snapshots", "quarantine"].contains(name)
      #expect(facts.contains(isFolder ? " 700 " : " 600 "), "\(name): \(facts.prefix(40))")
    }
    #expect(try tree(path).keys.contains { $0.hasPrefix("quarantine/") })
  }

  @Test("A link in the place of a file or folder is refused, and nothing is written through it")
  func links() throws {
    let names = [
      "LOCK", "MANIFEST", "segments", "snapshots", "segments/0000000000000002.segment",
      "snapshots/0000000000000001.snapshot",
    ]
    for name in names {
      let document = try make()
      let (file, elsewhere) = ("\(path)/\(name)", "\(outer.path)/elsewhere")
      try FileManager.default.moveItem(atPath: file, toPath: elsewhere)
      try FileManager.default.createSymbolicLink(
        atPath: file, withDestinationPath: elsewhere)
      let before = try tree(outer.path)
      let error = failure()
      guard case .damaged(let place, 0, _)? = error, place.hasSuffix(name) else {
        Issue.record("\(name): \(error.map { "\($0)" } ?? "opened")")
        continue
      }
      #expect(try tree(outer.path) == before, "\(name)")
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: elsewhere, toPath: file)
      let store = try open()
      #expect(store.document == document)
      try store.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("The store's own folder may be reached through a link")
  func linkedFolder() throws {
    let document = try make()
    try outer.link("link", to: path)
    let store = try open(at: "\(outer.path)/link")
    #expect(store.document == document)
    #expect(failure() == .locked(path: path))
    try store.close()
  }

  @Test("A folder or a pipe in the place of a file is a clear error, and is not waited for")
  func otherKinds() throws {
    for name in ["LOCK", "MANIFEST", "segments/0000000000000002.segment"] {
      for isPipe in [false, true] {
        try make()
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        if isPipe {
          #expect(mkfifo("\(path)/\(name)", 0o600) == 0)
        } else {
          try FileManager.default.createDirectory(
            atPath: "\(path)/\(name)", withIntermediateDirectories: false)
        }
        let error = failure()
        guard case .damaged(let place, 0, _)? = error, place.hasSuffix(name) else {
          Issue.record("\(name), \(isPipe): \(error.map { "\($0)" } ?? "opened")")
          continue
        }
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  @Test("Unfinished files of its own are swept, and others' files are left alone")
  func leftovers() throws {
    let document = try make()
    let own = [
      "MANIFEST.new", "segments/0000000000000002.segment.new",
      "segments/00000000000000ff.segment.new", "snapshots/0000000000000009.snapshot.new",
    ]
    let others = [
      "notes.txt", "x.new", "manifest.new", "segments/readme", "segments/1.segment",
      "segments/00000000000000FF.segment", "segments/0000000000000000.segment",
      "segments/0000000000000002.segment.new.new", "snapshots/a.snapshot.new", ".hidden",
    ]
    for name in own + others { try outer.write("store/\(name)", name) }
    let store = try open()
    #expect(store.document == document)
    try set("third", store)
    try store.compact()
    try store.compact()
    try store.close()
    for name in own { #expect(try tree(path)[name] == nil, "\(name)") }
    for name in others { #expect(try outer.read("store/\(name)") == name) }
  }

  @Test("A file of a newer format is refused; salvaging says so, and loses nothing of it")
  func newerFormat() throws {
    let names = [
      "MANIFEST", "segments/0000000000000002.segment", "snapshots/0000000000000001.snapshot",
    ]
    for name in names {
      try make()
      let url = URL(fileURLWithPath: "\(path)/\(name)")
      var data = try Data(contentsOf: url)
      data[3] = 6
      // What a later version has for a checksum isn't known here.
      data[4] ^= 0x55
      try data.write(to: url)
      let before = try tree(path)
      #expect(failure() == .newerFormat(path: "\(path)/\(name)", version: 6))
      #expect(failure(.readOnly) == .newerFormat(path: "\(path)/\(name)", version: 6))
      #expect(try tree(path) == before, "\(name)")
      if name == "MANIFEST" {
        // A later version that has written the store has a file of its own besides, and can tell
        // what it needs.
        let segment = URL(fileURLWithPath: "\(path)/\(names[1])")
        let bytes = try Data(contentsOf: segment)
        var newer = bytes
        newer[3] = 6
        newer[4] ^= 0x55
        try newer.write(to: segment)
        let both = try tree(path)
        #expect(throws: StoreError.newerFormat(path: "\(path)/MANIFEST", version: 6)) {
          try Store.salvage(at: path, options: options())
        }
        #expect(try tree(path) == both)
        try bytes.write(to: segment)
      }
      let report = try Store.salvage(at: path, options: options())
      #expect(report.findings.contains { $0.description.contains("\(path)/\(name)") })
      #expect(try tree(path).values.contains(before[name] ?? ""))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("A store is open in one place, or read in several")
  func locking() throws {
    let document = try make()
    let writer = try open()
    #expect(failure() == .locked(path: path))
    #expect(failure(.readOnly) == .locked(path: path))
    #expect(throws: StoreError.locked(path: path)) {
      try Store.salvage(at: path, options: options())
    }
    try set("third", writer)
    let third = writer.document
    #expect(third != document)
    try writer.close()
    let readers = [try open(.readOnly), try open(.readOnly)]
    #expect(failure() == .locked(path: path))
    for reader in readers {
      #expect(reader.document == third)
      #expect(throws: StoreError.readOnly(path: path)) { try set("fourth", reader) }
      #expect(throws: StoreError.readOnly(path: path)) { try reader.compact() }
      try reader.close()
    }
    #expect(failure() == nil)
  }

  @Test("Reading changes nothing in the folder, not even what is torn or left over")
  func reading() throws {
    let document = try make()
    let log = try #require(try tree(path).keys.filter { $0.hasSuffix(".segment") }.max())
    let handle = try #require(FileHandle(forWritingAtPath: "\(path)/\(log)"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([1, 2, 3]))
    try handle.close()
    try outer.write("store/MANIFEST.new", "leftover")
    let before = try tree(path)
    let reader = try open(.readOnly)
    #expect(reader.document == document)
    #expect(reader.recovery.bytesSetAside == 3)
    try reader.close()
    _ = try Store.verify(at: path)
    _ = try Store.log(at: path)
    #expect(try tree(path) == before)
  }

  @Test("Where there is no store, none is made unless asked for")
  func missing() throws {
    #expect(failure(.readOnly) == .notFound(path: path))
    var options = options()
    options.createsIfMissing = false
    #expect(throws: StoreError.notFound(path: path)) {
      try Store.open(at: path, options: options)
    }
    #expect(throws: StoreError.notFound(path: path)) { try Store.verify(at: path) }
    #expect(throws: StoreError.notFound(path: path)) {
      try Store.salvage(at: path, options: options)
    }
    #expect(try outer.names() == [])
    // A folder that is something else is left as it is.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try outer.write("store/notes.txt", "mine")
    #expect(failure(.readOnly) == .notFound(path: path))
    #expect(throws: StoreError.notFound(path: path)) {
      try Store.open(at: path, options: options)
    }
    #expect(throws: StoreError.notFound(path: path)) {
      try Store.salvage(at: path, options: options)
    }
    #expect(try outer.read("store/notes.txt") == "mine")
    if case .system(let error, _)? = Result(
      catching: { try open(at: "\(outer.path)/no/such/folder") }).failure
    {
      #expect(error.code == ENOENT)
    } else {
      Issue.record("made folders around the store's")
    }
    let file = try outer.write("file", "x")
    #expect(throws: StoreError.self) { try open(at: file) }
  }

  @Test("A folder that goes while the store is open: errors, no end of the process")
  func goneWhileOpen() throws {
    let store = try open()
    try set("first", store)
    try FileManager.default.removeItem(atPath: path)
    _ = try? set("second", store)
    #expect(throws: StoreError.self) { try store.compact() }
    _ = try? set("third", store)
    _ = try? store.close()
    let again = try open()
    #expect(again.document == Document())
    try again.close()
  }

  @Test("A copy of a folder writes as another replica, and both go on in sync")
  func copies() throws {
    try make()
    let copy = "\(outer.path)/copy"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let (left, right) = (try open(), try open(at: copy))
    #expect(right.recovery.isCopy)
    #expect(!left.recovery.isCopy)
    #expect(left.replica != right.replica)
    for round in 0..<3 {
      try set("left \(round)", left)
      try set("right \(round)", right)
      #expect(try exchange(left, right) == [])
      #expect(left.document == right.document)
    }
    #expect(left.document.forks.isEmpty)
    let replica = right.replica
    try left.close()
    try right.close()
    let again = try open(at: copy)
    #expect(!again.recovery.isCopy)
    #expect(again.replica == replica)
    try again.close()
  }

  @Test("A copy that is made while the store is open and written opens")
  func copyOfOpenStore() throws {
    let store = try open()
    for number in 0..<20 {
      try set("field \(number)", store)
      if number % 5 == 4 { try store.compact() }
      let copy = "\(outer.path)/copy \(number)"
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let other = try open(at: copy)
      #expect(other.document == store.document)
      try other.close()
    }
    try store.close()
  }

  @Test("A backup that is put back in place takes a new replica when it is opened")
  func restoredInPlace() throws {
    let peer = try open(at: "\(outer.path)/peer")
    let store = try open()
    try set("before", store)
    #expect(try exchange(store, peer) == [])
    let old = store.replica
    try store.close()
    let backup = "\(outer.path)/backup"
    try FileManager.default.copyItem(atPath: path, toPath: backup)
    let lively = try open()
    try set("lost", lively)
    #expect(try exchange(lively, peer) == [])
    try lively.close()
    // The same files with their former bytes: LOCK has none, and is written all the same.
    try StoreFiles(path).waitForClock()
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let file = "\(path)/\(name)"
      guard let bytes = FileManager.default.contents(atPath: "\(backup)/\(name)") else {
        if (try? tree(path)[name]?.hasPrefix("NSFileTypeRegular")) == true {
          try FileManager.default.removeItem(atPath: file)
        }
        continue
      }
      let handle = try #require(FileHandle(forWritingAtPath: file))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      try handle.close()
    }
    let restored = try open()
    #expect(restored.recovery.isCopy && restored.recovery.formerReplica == old)
    #expect(restored.replica != old)
    #expect(restored.document.value(of: "lost", of: "r", in: "c") == nil)
    #expect(try exchange(restored, peer) == [])
    #expect(restored.document.value(of: "lost", of: "r", in: "c") == "lost")
    try set("after", restored)
    #expect(try exchange(restored, peer) == [])
    #expect(restored.document == peer.document)
    #expect(peer.document.forks.isEmpty)
    let replica = restored.replica
    try restored.close()
    let again = try open()
    #expect(again.replica == replica)
    #expect(again.document == peer.document)
    try again.close()
    try peer.close()
  }

  @Test("Names of records never become names of files")
  func names() throws {
    let names = [
      "../../x", "/etc/passwd", "..", ".", "", "a/b", "a\u{0}b",
      String(repeating: "n", count: 1_024),
      "\u{E9}", "e\u{301}", "LOCK", "MANIFEST", "*.segment", "\n", "CON", "~",
    ]
    let store = try open()
    for name in names {
      try store.edit { $0.set("f", of: name, in: name.isEmpty ? "c" : name, to: .string(name)) }
    }
    try store.compact()
    let document = store.document
    try store.close()
    let again = try open()
    #expect(again.document == document)
    for name in names {
      let value = again.document.value(of: "f", of: name, in: name.isEmpty ? "c" : name)
      #expect(value == .string(name))
    }
    try again.close()
    #expect(try outer.names() == ["store"])
    for name in try tree(path).keys {
      let isOwn =
        ["LOCK", "CLOSED", "MANIFEST", "segments", "snapshots"].contains(name)
        || name.wholeMatch(of: /segments\/[0-9a-f]{16}\.segment/) != nil
        || name.wholeMatch(of: /snapshots\/[0-9a-f]{16}\.snapshot/) != nil
      #expect(isOwn, "\(name)")
    }
  }
}

extension Result {
  fileprivate var failure: StoreError? {
    if case .failure(let error) = self { error as? StoreError } else { nil }
  }
}
