import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

/// A relay's folder in which somebody works by hand.
@Suite("A relay's folder that is worked in by hand")
struct RelayMangledTests {
  @Test("All comes through, whatever somebody does in the folder by hand")
  func mangled() async throws {
    let folder = try TemporaryFolder()
    let relay = "\(folder.path)/relay"
    let left = try BlockingStore.open(at: "\(folder.path)/left")
    let right = try BlockingStore.open(at: "\(folder.path)/right")
    let (mine, theirs) = (left.relay(at: relay), right.relay(at: relay))
    try left.put("one", of: "l")
    try mine.sync()
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
      try mine.sync()
      try theirs.sync()
      #expect(left.document == right.document, "\(number)")
    }
    // A name that used up the numbers costs the store its own.
    #expect(left.replica != replica)
    // The subfolder goes.
    try FileManager.default.removeItem(atPath: sub)
    try left.put("two", of: "l")
    try mine.sync()
    try theirs.sync()
    #expect(left.document == right.document)
    // The folder goes as a whole, and comes back empty.
    try FileManager.default.removeItem(atPath: relay)
    try right.put("three", of: "r")
    try theirs.sync()
    try mine.sync()
    try theirs.sync()
    #expect(left.document == right.document)
    // Files are exchanged: contents of one under the other's name.
    try left.put("four", of: "l")
    try mine.sync()
    let sub2 = "\(relay)/\(left.replica)"
    let files = try FileManager.default.contentsOfDirectory(atPath: sub2).sorted()
    if files.count > 1 {
      try FileManager.default.moveItem(atPath: "\(sub2)/\(files[0])", toPath: "\(sub2)/x")
      try FileManager.default.moveItem(atPath: "\(sub2)/\(files[1])", toPath: "\(sub2)/\(files[0])")
      try FileManager.default.moveItem(atPath: "\(sub2)/x", toPath: "\(sub2)/\(files[1])")
    }
    for _ in 0..<3 {
      try theirs.sync()
      try mine.sync()
    }
    #expect(left.document == right.document)
    try left.close()
    try right.close()
  }
}
