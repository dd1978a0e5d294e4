import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("A relay's folder: different contents under equal versions")
struct RelayDigestTests {
  let stores = TestStores()

  @Test("A chosen collision of fingerprints is found, and what differs is mended")
  func collision() throws {
    let collision = try #require(Collision<Document>.find())
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.apply(collision.left.delta(since: [:]))
    try right.apply(collision.right.delta(since: [:]))
    for round in 0..<3 {
      try left.put(.int(Int64(round)), of: "l")
      try right.put(.int(Int64(-round)), of: "r")
      var reports: [Store.SyncReport] = []
      for store in [left, right, left, right, left, right, left, right] {
        reports.append(try store.sync(with: .folder("/relay")))
      }
      #expect(left.document.encoded() == right.document.encoded())
      #expect(
        round > 0 || reports.contains { $0.findings.contains { $0.reason == .differentContents } })
      for report in reports.suffix(2) { #expect(report.findings == [] && report.isSynchronized) }
    }
    let report = try left.sync(with: .store(right))
    #expect(report.failure == nil && report.isSynchronized)
  }

  @Test("A chosen collision of fingerprints is found by a session of stores, and mended")
  func session() throws {
    let collision = try #require(Collision<Document>.find())
    let left = try stores.open("/left")
    let right = try stores.open("/right")
    try left.apply(collision.left.delta(since: [:]))
    try right.apply(collision.right.delta(since: [:]))
    let report = try left.sync(with: .store(right))
    #expect(report.failure == nil && report.isSynchronized)
    let bytes = left.document.encoded()
    #expect(bytes == right.document.encoded())
    for (path, store) in [("/left", left), ("/right", right)] {
      try store.close()
      #expect(try stores.open(path).document.encoded() == bytes, "read from the log again")
    }
  }

  @Test("Stores that hold the same are never told of, however they came to it")
  func honest() throws {
    var random = SeededGenerator(seed: 3)
    let all = try ["/a", "/b", "/c"].map { try stores.open($0) }
    for round in 0..<60 {
      let store = all[Int.random(in: 0..<3, using: &random)]
      try store.put(.int(Int64(round)), of: "r\(Int.random(in: 0..<9, using: &random))")
      if round % 7 == 0 { try store.compact() }
      let other = all[Int.random(in: 0..<3, using: &random)]
      let report = try other.sync(with: .folder("/relay"))
      #expect(report.findings.isEmpty)
      if round % 10 == 9 {
        let pair = try store.sync(with: .store(all[round % 3]))
        #expect(pair.failure == nil && pair.isSynchronized)
      }
    }
  }
}
