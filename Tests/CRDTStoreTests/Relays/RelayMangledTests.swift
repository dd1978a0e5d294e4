import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@testable import CRDTStore

/// A relay's folder in which somebody works by hand.
@Suite("A relay's folder that is worked in by hand")
struct RelayMangledTests {
  @Test("All comes through, whatever somebody does in the folder by hand")
  func mangled() async throws {
    let folder = try TemporaryFolder()
    let relay = "\(folder.path)/relay"
    let left = try await Store.open(at: "\(folder.path)/left")
    let right = try await Store.open(at: "\(folder.path)/right")
    let (mine, theirs) = (left.relay(at: relay), right.relay(at: relay))
    try left.put("one", of: "l")
    try await mine.sync()
    let replica = left.replica
    let own = try #require(try FileManager.default.contentsOfDirectory(atPath: relay).first)
    let sub = "\(relay)/\(own)"
    // Odd things in it.
    mkfifo("\(sub)/00000000000000aa.delta", 0o600)
    try FileManager.default.createDirectory(
      atPath: "\(sub)/00000000000000ab.delta", withIntermediateDirectories: false)
    symlink("\(sub)", "\(sub)/00000000000000ac.delta")
    symlink(relay, "\(relay)/00000000000000ac")
    mkfifo("\(relay)/00000000000000ad", 0o600)
    for path in ["\(relay)/00000000000000ae", "\(sub)/0000ffffffffffff.delta"] {
      #expect(FileManager.default.createFile(atPath: path, contents: Data([1])))
    }
    for number in 0..<4 {
      try left.put(.int(Int64(number)), of: "l")
      try await mine.sync()
      try await theirs.sync()
      #expect(left.document == right.document, "\(number)")
    }
    // The greatest number there is costs nothing, if there is nothing behind it.
    #expect(left.replica == replica)
    // The subfolder goes.
    try FileManager.default.removeItem(atPath: sub)
    try left.put("two", of: "l")
    try await mine.sync()
    try await theirs.sync()
    #expect(left.document == right.document)
    // The folder goes as a whole, and comes back empty.
    try FileManager.default.removeItem(atPath: relay)
    try right.put("three", of: "r")
    try await theirs.sync()
    try await mine.sync()
    try await theirs.sync()
    #expect(left.document == right.document)
    // Files are exchanged: contents of one under the other's name.
    try left.put("four", of: "l")
    try await mine.sync()
    let sub2 = "\(relay)/\(left.replica)"
    let files = try FileManager.default.contentsOfDirectory(atPath: sub2).sorted()
    if files.count > 1 {
      try FileManager.default.moveItem(atPath: "\(sub2)/\(files[0])", toPath: "\(sub2)/x")
      try FileManager.default.moveItem(atPath: "\(sub2)/\(files[1])", toPath: "\(sub2)/\(files[0])")
      try FileManager.default.moveItem(atPath: "\(sub2)/x", toPath: "\(sub2)/\(files[1])")
    }
    for _ in 0..<3 {
      try await theirs.sync()
      try await mine.sync()
    }
    #expect(left.document == right.document)
    try await left.close()
    try await right.close()
  }

  @Test("Names without files cost no store its own, and are passed over")
  func emptyNames() throws {
    let stores = TestStores()
    let files = stores.files
    let events = Guarded(0)
    let store = try stores.open("/left") { options in
      options.onEvent = { _ in events.withLock { $0 += 1 } }
    }
    let other = try stores.open("/right")
    try store.put("one")
    try store.sync(with: .folder("/relay"))
    let replica = store.replica
    let path = try #require(files.seenImage.files.keys.first { $0.hasPrefix("/relay/0") })
    let sub = try files.openFolder(at: String(path.prefix { $0 != "." }.dropLast(17)))
    defer { files.close(sub) }
    // The clock stands still, so the first of these is the next number.
    let next = stores.clock.milliseconds + 1
    for number in [next, next + 1, next + 5, (1 as UInt64) << 48 - 1] {
      let digits = String(number, radix: 16)
      let name = String(repeating: "0", count: 16 - digits.count) + digits + ".delta"
      files.close(try files.open(name, in: sub, for: .creating))
    }
    for round in 0..<3 {
      try store.put(.int(Int64(round)), of: "r\(round)")
      let report = try store.sync(with: .folder("/relay"))
      #expect(report.isSynchronized && report.deltasSent == 1)
      try other.sync(with: .folder("/relay"))
      #expect(other.document == store.document)
    }
    #expect(store.replica == replica && store.document.version.count == 1)
    let left = files.seenImage.files.filter { $0.key.hasPrefix("/relay/") && $0.value.isEmpty }
    #expect(left.count == 4)
    try store.close()
    #expect(events.withLock { $0 } == 0)
  }

  @Test("A file that has grown since it was looked at is a finding, and taken in once it is whole")
  func grown() throws {
    let folder = try TemporaryFolder()
    let relay = "\(folder.path)/relay"
    let left = try Store.open(at: "\(folder.path)/left")
    let right = try Store.open(at: "\(folder.path)/right")
    let (mine, theirs) = (left.relay(at: relay), right.relay(at: relay))
    let manager = FileManager.default
    func published() throws -> Set<String> {
      Set(try manager.subpathsOfDirectory(atPath: relay).filter { $0.hasSuffix(".delta") })
    }
    try left.put("one", of: "a")
    try mine.sync()
    let base = "\(relay)/\(try #require(try published().first))"
    let first = try published()
    try left.put("two", of: "b")
    try mine.sync()
    let late = "\(relay)/\(try #require(try published().subtracting(first).first))"
    // What builds on a file that isn't there is looked at, and waits.
    try manager.moveItem(atPath: base, toPath: "\(folder.path)/base")
    #expect(try !theirs.sync().missing.isEmpty)
    let handle = try #require(FileHandle(forWritingAtPath: late))
    let size = try handle.seekToEnd()
    try handle.truncate(atOffset: OversizeTests.size)
    try manager.moveItem(atPath: "\(folder.path)/base", toPath: base)
    let report = try theirs.sync()
    #expect(report.findings.map(\.path) == [late])
    #expect(report.deltasTaken == 1 && right.document != left.document)
    try handle.truncate(atOffset: size)
    try handle.close()
    #expect(try theirs.sync().findings.isEmpty)
    #expect(right.document == left.document)
    try left.close()
    try right.close()
  }

  @Test("What is no relay's, or sealed, is a finding, and all else goes on being read")
  func strangers() throws {
    let stores = TestStores()
    let (left, right) = (try stores.open("/left"), try stores.open("/right"))
    try left.put("one", of: "l")
    try left.sync(with: .folder("/relay"))
    let root = try stores.files.openFolder(at: "/relay")
    let own = try stores.files.open(RelayNames.folder(left.replica), in: root, for: .folder)
    var sealed = FileHead(kind: .relay, store: left.replica.rawValue, number: 9)
    var body = ByteWriter()
    body.write(0 as UInt8)
    for version in [3, 5] as [UInt8] {
      sealed.version = version
      let file = try stores.files.open(RelayNames.file(UInt64(version)), in: own, for: .creating)
      try stores.files.write(sealed.file(framing: body), to: file)
      stores.files.close(file)
    }
    stores.files.close(try stores.files.open("MANIFEST", in: root, for: .creating))
    for store in [right, left, right] {
      let report = try store.sync(with: .folder("/relay"))
      #expect(report.findings.count == 3 && report.isSynchronized)
      try store.put("more", of: "r")
    }
    #expect(right.document.records(in: "c") == ["l", "r"])
    for file in [root, own] { stores.files.close(file) }
  }
}
