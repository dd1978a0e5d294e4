import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("A fork that was mended")
struct MendedForkTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock(milliseconds: 1_750_000_000_000)

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String, nonce: UInt32? = nil) throws -> Store {
    var options = Store.Options()
    options.documentID = TestStores.document
    options.fileSystem = UnsyncedDisk(hidesCopies: true)
    options.clock = clock
    if let nonce { options.makeStretchNonce = { nonce } }
    return try Store.open(at: "\(folder.path)/\(name)", options: options)
  }

  @Test("is told once, however many peers come with the old line")
  func toldOnce() throws {
    var one = try open("one")
    try one.put(.int(1), of: "base")
    try one.close()
    try StoreFiles("\(folder.path)/one").copy(to: "\(folder.path)/two")
    // Of two lines that both begin a stretch, that with the lesser number keeps the name.
    one = try open("one", nonce: 1)
    let two = try open("two", nonce: 9)
    let peers = try (0..<3).map { try open("peer \($0)") }
    try two.put(.int(2), of: "two")
    for peer in peers { _ = try two.sync(with: .store(peer)) }
    for (number, peer) in peers.enumerated() { try peer.put(.int(9), of: "peer \(number)") }
    try one.put(.int(3), of: "one")
    for peer in peers { _ = try peer.sync(with: .store(one)) }
    #expect(one.mendedForks.count == 1)
    #expect(one.mendedForks.first?.replica == one.replica)
    #expect(peers.last?.document.contentDigest == one.document.contentDigest)
  }
}
