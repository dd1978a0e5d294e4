import CRDTKit
import CRDTTestSupport
import Testing

/// Edits, pieces of streams, cuts, crashes and restored backups at random: in the
/// end all sites hold all there is.
@Suite("Peer session: random schedules")
struct SyncScheduleTests {
  @Test("two sites and three, all connected: they converge, and no stream fails")
  func schedules() {
    play(ORSet<String>.self, sites: 2)
    play(TextRegisters.self, sites: 2)
    play(Document.self, sites: 2)
    play(ReplicatedText.self, sites: 2)
    play(ListOfTexts.self, sites: 2)
    play(ORSet<String>.self, sites: 3)
    play(TextRegisters.self, sites: 3)
    play(Document.self, sites: 3)
    play(ReplicatedText.self, sites: 3)
    play(ListOfTexts.self, sites: 3)
  }

  private func play<Value: SyncSample>(_: Value.Type, sites: Int) {
    for seed in 0..<(isLongRun ? 5_000 : isOptimized ? 120 : 40) as Range<UInt64> {
      let steps = 20 + Int(seed % 5) * 60
      guard SyncNetwork<Value>.play(seed: seed, steps: steps, sites: sites) != nil else { continue }
      let least = (0...steps).first { steps in
        SyncNetwork<Value>.play(seed: seed, steps: steps, sites: sites) != nil
      }
      let shortest = least.flatMap {
        SyncNetwork<Value>.play(seed: seed, steps: $0, sites: sites)
      }
      Issue.record(
        """
        \(Value.self), \(sites) sites, seed \(seed): \(shortest?.wrong ?? "")
        after \(shortest?.log.joined(separator: "\n") ?? "")
        """)
      return
    }
  }
}
