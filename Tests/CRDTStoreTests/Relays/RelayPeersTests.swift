import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("The peers of a relay")
struct RelayPeersTests {
  @Test("They are told while a round waits for the disk")
  func duringRound() throws {
    let stores = TestStores()
    let relays = Guarded<[FolderRelay]>([])
    let told = Guarded<[[UInt64]]>([])
    let left = try stores.open("/left") {
      // Asked on the thread that does the round: who waits for its end would wait for ever.
      $0.fileSystem = GatedFileSystem(base: stores.files) {
        guard let relay = relays.withLock({ $0.first }) else { return }
        let peers = (try? relay.peers())?.map(\.replica.rawValue) ?? []
        told.withLock { $0.append(peers) }
      }
    }
    let right = try stores.open("/right")
    try right.put("one")
    try right.sync(with: .folder("/relay"))
    let relay = left.relay(at: "/relay")
    try relay.sync()
    try left.put("two", of: "l")
    relays.withLock { $0 = [relay] }
    try relay.sync()
    relays.withLock { $0 = [] }
    #expect(told.withLock { $0 } == [[1, 2]], "\(told.withLock { $0 })")
    #expect(try relay.peers().map(\.replica) == [left.replica, right.replica].sorted())
  }
}
