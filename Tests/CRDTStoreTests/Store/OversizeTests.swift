import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

/// Files of a store that have, as the system says, more bytes than there is memory.
@Suite("Files that claim to be huge")
struct OversizeTests {
  /// As a flipped bit in a file's size would have it.
  static let size: UInt64 = 400 << 30

  private let outer: TemporaryFolder
  private var path: String { "\(outer.path)/store" }

  init() throws {
    outer = try TemporaryFolder()
  }

  /// Makes a store with a snapshot and two segments; gives what it holds.
  private func make() throws -> Document {
    var options = Store.Options()
    options.compaction = .manual
    let store = try Store.open(at: path, options: options)
    for number in 0..<20 { try store.put(.int(Int64(number)), of: "r\(number)") }
    try store.compact()
    for number in 20..<40 { try store.put(.int(Int64(number)), of: "r\(number)") }
    let document = store.document
    try store.close()
    return document
  }

  @Test(
    "Opening and verifying say which file and where; salvaging saves all commits",
    arguments: ["MANIFEST", "segments/0000000000000002.segment"])
  func huge(_ name: String) throws {
    let document = try make()
    let file = "\(path)/\(name)"
    let handle = try #require(FileHandle(forWritingAtPath: file))
    let before = try handle.seekToEnd()
    try handle.truncate(atOffset: Self.size)
    try handle.close()
    let error = #expect(throws: StoreError.self) { try Store.open(at: path) }
    guard case .damaged(let damaged, let offset, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(damaged == file && offset == Int(before))
    #expect(reason.contains("\(Self.size - before) bytes"))
    let found = try Store.verify(at: path)
    #expect(found.findings.contains { $0.path == file && $0.offset == Int(before) })
    let report = try Store.salvage(at: path)
    #expect(report.findings.contains { $0.path == file })
    #expect(report.filesSetAside.count == 1)
    let store = try Store.open(at: path)
    #expect(store.document == document)
    #expect(try store.verify().isSound)
    try store.put("more")
    try store.close()
  }

  @Test("Opening says so of a snapshot too")
  func snapshot() throws {
    _ = try make()
    let file = "\(path)/snapshots/0000000000000001.snapshot"
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: Self.size)
    try handle.close()
    let error = #expect(throws: StoreError.self) { try Store.open(at: path) }
    guard case .damaged(file, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try Store.verify(at: path).findings.contains { $0.path == file })
  }

  @Test("A segment that nothing needs any more keeps nobody from working")
  func needless() throws {
    let document = try make()
    let file = "\(path)/segments/0000000000000001.segment"
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: Self.size)
    try handle.close()
    let store = try Store.open(at: path)
    #expect(store.document == document)
    #expect(try store.verify().findings.map(\.path) == [file])
    try store.backUp(to: "\(outer.path)/backup")
    try store.close()
    let backup = try Store.open(at: "\(outer.path)/backup")
    #expect(backup.document == document)
    #expect(try backup.verify().isSound)
    try backup.close()
  }
}
