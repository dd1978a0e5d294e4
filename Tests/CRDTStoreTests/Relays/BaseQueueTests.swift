import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("Deltas that wait for their bases")
struct BaseQueueTests {
  private struct Item: Hashable {
    var number: Int
    var base: VersionVector
    var version: VersionVector
  }

  @Test("come in the order in which a search from the start finds them")
  func order() {
    var random = SeededGenerator(seed: 11)
    for seed in 0..<500 {
      let replicas = (0..<UInt64(Int.random(in: 1...5, using: &random))).map { ReplicaID($0) }
      func version(_ max: UInt64) -> VersionVector {
        var version: VersionVector = [:]
        for replica in replicas where Bool.random(using: &random) {
          version[replica] = UInt64.random(in: 0...max, using: &random)
        }
        return version
      }
      let items = (0..<20).map { number in
        let base = version(6)
        return Item(number: number, base: base, version: base.merging(version(8)))
      }
      var (expected, rest, reached) = ([Int](), items, VersionVector())
      while let place = rest.firstIndex(where: { reached.contains($0.base) }) {
        let item = rest.remove(at: place)
        expected.append(item.number)
        reached.merge(item.version)
      }
      var queue = BaseQueue(items, base: \.base, at: [:])
      var (found, version) = ([Int](), VersionVector())
      while let item = queue.removeFirst() {
        found.append(item.number)
        version.merge(item.version)
        queue.advance(to: version)
      }
      #expect(found == expected && queue.rest == rest, "seed \(seed)")
    }
  }
}
