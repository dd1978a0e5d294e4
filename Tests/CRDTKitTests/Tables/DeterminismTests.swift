import CRDTKit
import CRDTTestSupport
import Testing

/// The same operations on equal states give the same bytes, however the states came
/// about and whatever the process's hash seed.
@Suite("Determinism")
struct DeterminismTests {
  @Test("an operation on equal states, built in different ways, gives equal bytes")
  func history() throws {
    for seed in 0..<20 as Range<UInt64> {
      let states = relatedStates(of: SetShape<Int>.self, count: 5, stepCount: 400, seed: seed)
      var grown = ORSet<Int>()
      for state in states {
        grown.merge(state)
        #expect(!grown.contains(-1))
      }
      var other = states.reversed().reduce(ORSet()) { $0.merging($1) }
      var decoded = try ORSet<Int>(decoding: grown.encoded())
      let before = grown.version
      let deltas = [
        grown.edit(by: ReplicaID(50), rewriteAll), other.edit(by: ReplicaID(50), rewriteAll),
        decoded.edit(by: ReplicaID(50), rewriteAll),
      ].map { $0.encoded() }
      #expect(deltas[0] == deltas[1] && deltas[1] == deltas[2], "seed \(seed)")
      #expect(grown.encoded() == other.encoded() && grown.encoded() == decoded.encoded())
      #expect(
        grown.delta(since: before).encoded() == decoded.delta(since: before).encoded(),
        "seed \(seed)")
    }
  }

  private func rewriteAll(_ editor: inout Editor<ORSet<Int>>) {
    for element in 0..<sampleCount {
      if element % 3 == 0 { editor.remove(element) } else { editor.insert(element) }
    }
  }

  @Test("processes with other hash seeds come to the same bytes")
  func processes() async {
    let digests = (0..<4).map { DeterminismTests.digest(seed: $0) }
    for _ in 0..<4 {
      await #expect(processExitsWith: .success) { [digests = digests as [UInt64]] in
        for (seed, digest) in digests.enumerated() {
          precondition(DeterminismTests.digest(seed: UInt64(seed)) == digest, "seed \(seed)")
        }
      }
    }
  }

  /// The digests of states after many operations, merges and edits, all added up.
  private static func digest(seed: UInt64) -> UInt64 {
    let sets = relatedStates(of: SetShape<String>.self, count: 4, stepCount: 300, seed: seed)
    let maps = relatedStates(
      of: MapShape<MapShape<CounterShape>>.self, count: 4, stepCount: 150, seed: seed)
    let all = sets.map(\.digest) + maps.map(\.digest)
    return all.reduce(seed) { ($0 &+ $1) &* 0x9E37_79B9_7F4A_7C15 }
  }
}
