import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Purging, with a relay's folder")
struct RelayPurgeTests {
  let stores = TestStores()
  private let day: UInt64 = 86_400_000

  /// Three stores that hold the same record, and have said so.
  private func threeStores() throws -> [Store] {
    let all = try ["/one", "/two", "/three"].map { path in
      try stores.open(path) { $0.peerRetention = .seconds(60 * 86_400) }
    }
    try all[0].put("gone")
    for store in all + all + all { try store.sync(with: .folder("/relay")) }
    return all
  }

  @Test("A deletion is purged when all replicas have said that they know of it")
  func acknowledged() throws {
    let all = try threeStores()
    try all[0].edit { $0.delete("r", in: "c") }
    stores.clock.milliseconds += 20 * day
    for store in all + all { try store.sync(with: .folder("/relay")) }
    // One of them has not been told that the third knows.
    stores.clock.milliseconds += 11 * day
    try all[0].compact()
    #expect(all[0].document.deletedRecords(in: "c") == [])
    for store in all + all { try store.sync(with: .folder("/relay")) }
    for store in all { #expect(store.document == all[0].document) }
    #expect(all[2].document._table.rowCount == 0)
  }

  @Test("A replica that hasn't said so is waited for, until it is retired")
  func retiring() throws {
    let all = try threeStores()
    try all[0].edit { $0.delete("r", in: "c") }
    stores.clock.milliseconds += 31 * day
    for store in [all[0], all[1], all[0]] { try store.sync(with: .folder("/relay")) }
    try all[0].compact()
    #expect(all[0].document.deletedRecords(in: "c") == ["r"])
    // What the third writes meanwhile, it has not sent.
    try all[2].put("late", of: "r")
    try all[2].put("mine", of: "other")

    try all[0].relay(at: "/relay").retire(all[2].replica)
    let listed = try all[1].relay(at: "/relay").peers()
    #expect(listed.filter(\.isRetired).map(\.replica) == [all[2].replica])
    try all[1].sync(with: .folder("/relay"))
    #expect(!all[1].peers.contains { $0.replica == all[2].replica })
    try all[0].sync(with: .folder("/relay"))
    try all[0].compact()
    #expect(all[0].document.deletedRecords(in: "c") == [])

    // It comes back: nothing of its own is lost, and no half record is shown.
    for store in all + all + all { try store.sync(with: .folder("/relay")) }
    for store in all { #expect(store.document == all[0].document) }
    #expect(all[0].document.value(of: "value", of: "other", in: "c") == "mine")
    let shown = all[0].document.fields(of: "r", in: "c")
    #expect(shown == nil || shown == ["value": "late"])
    #expect(try all[0].relay(at: "/relay").peers().allSatisfy { !$0.isRetired })
    #expect(all[1].peers.contains { $0.replica == all[2].replica })
  }

  @Test("A replica that has nothing to say says every day that it is there")
  func heartbeat() throws {
    let all = try threeStores()
    let before = try all[0].relay(at: "/relay").peers()
    stores.clock.milliseconds += day + 1
    for store in all { try store.sync(with: .folder("/relay")) }
    let after = try all[0].relay(at: "/relay").peers()
    for (old, new) in zip(before, after) {
      #expect(new.lastSeenMilliseconds >= old.lastSeenMilliseconds + day)
    }
    try all[0].sync(with: .folder("/relay"))
    #expect(all[0].peers.allSatisfy { $0.lastContactMilliseconds >= stores.clock.milliseconds })
  }
}
