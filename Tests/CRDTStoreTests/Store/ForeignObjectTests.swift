import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Folders, pipes and links under the names of a store's files.
@Suite("What stands in the place of a store's files")
struct ForeignObjectTests {
  private enum Kind: String, CaseIterable {
    case folder, pipe, link

    func make(at path: String) throws {
      switch self {
      case .folder:
        try FileManager.default.createDirectory(
          atPath: "\(path)/inner", withIntermediateDirectories: true)
      case .pipe: try #require(mkfifo(path, 0o600) == 0)
      case .link:
        try FileManager.default.createSymbolicLink(
          atPath: path, withDestinationPath: "/dev/null")
      }
    }
  }

  private func make(at path: String) throws -> Document {
    let store = try Store.open(at: path)
    try store.edit { $0.set("a", of: "r1", in: "c", to: 1) }
    try store.compact()
    try store.edit { $0.set("a", of: "r2", in: "c", to: 2) }
    try store.close()
    return store.document
  }

  @Test("is found by checking, and moved away by salvaging, which saves the rest")
  func salvaging() throws {
    let names = [
      "MANIFEST", "segments/0000000000000002.segment", "snapshots/0000000000000001.snapshot",
    ]
    for kind in Kind.allCases {
      for name in names {
        let folder = try TemporaryFolder()
        let (path, place) = ("\(folder.path)/store", "\(folder.path)/store/\(name)")
        let document = try make(at: path)
        try FileManager.default.removeItem(atPath: place)
        try kind.make(at: place)
        let found = try Store.verify(at: path)
        #expect(found.findings.contains { $0.path == place }, "\(kind), \(name)")
        let report = try Store.salvage(at: path)
        #expect(report.filesSetAside.count == 1, "\(kind), \(name)")
        let store = try Store.open(at: path)
        let records = name.hasPrefix("seg") ? ["r1"] : ["r1", "r2"]
        #expect(store.document.records(in: "c") == records, "\(kind), \(name)")
        if name == "MANIFEST" { #expect(store.document == document) }
        try store.close()
        #expect(try Store.verify(at: path).isSound)
      }
    }
  }

  @Test("A folder under the name of an unfinished file keeps nobody out")
  func unfinished() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/store"
    let document = try make(at: path)
    for name in ["MANIFEST.new", "segments/0000000000000009.segment.new"] {
      try Kind.folder.make(at: "\(path)/\(name)")
    }
    let store = try Store.open(at: path)
    #expect(store.document == document)
    try store.close()
  }

  @Test("in place of its lock or of an empty folder is found and moved away as well")
  func locksAndFolders() throws {
    for name in ["LOCK", "segments", "snapshots"] {
      for kind in name == "LOCK" ? Kind.allCases : [.pipe] {
        let folder = try TemporaryFolder()
        let (path, place) = ("\(folder.path)/store", "\(folder.path)/store/\(name)")
        let document = try make(at: path)
        try FileManager.default.removeItem(atPath: place)
        try kind.make(at: place)
        let found = try Store.verify(at: path)
        #expect(found.findings.map(\.path) == [place], "\(kind), \(name)")
        let report = try Store.salvage(at: path)
        #expect(report.findings.first?.path == place, "\(kind), \(name)")
        #expect(report.filesSetAside.contains("\(path)/quarantine/\(name).0"))
        let store = try Store.open(at: path)
        let records = name == "segments" ? ["r1"] : ["r1", "r2"]
        #expect(store.document.records(in: "c") == records, "\(kind), \(name)")
        if name == "LOCK" { #expect(store.document == document) }
        try store.close()
        #expect(try Store.verify(at: path).isSound)
      }
    }
  }

  @Test("Where a folder of the store is a link, the message says what to move")
  func folders() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/store"
    _ = try make(at: path)
    try FileManager.default.moveItem(
      atPath: "\(path)/segments", toPath: "\(folder.path)/segments")
    try folder.link("store/segments", to: "\(folder.path)/segments")
    #expect(try Store.verify(at: path).findings.map(\.path) == ["\(path)/segments"])
    do throws(StoreError) {
      _ = try Store.salvage(at: path)
      Issue.record("it was salvaged")
    } catch {
      #expect(error.description.contains("'\(path)/segments'"))
      #expect(error.description.contains("stands in the folder's place: move it away"))
    }
  }
}
