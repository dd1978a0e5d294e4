import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("The Twitter clone")
struct RetwisTests {
  @Test("comes to the same with every algorithm")
  func convergence() {
    for seed in UInt64(0)..<3 {
      let size = RetwisWorkload.Size(nodeCount: 9, userCount: 30, operationsPerNode: 12)
      let workload = RetwisWorkload(coefficient: 1, seed: seed, size: size)
      let settings = [(false, false), (true, false), (false, true), (true, true)].map {
        DeltaSettings(avoidsBackPropagation: $0, removesRedundancy: $1)
      }
      for settings in settings {
        var run = RetwisRun<RetwisDeltaNode>(workload, seed: seed, settings: settings)
        #expect(run.run().hasConverged, "seed \(seed), \(settings)")
      }
      var run = RetwisRun<RetwisSessionNode>(workload, seed: seed, settings: ())
      let outcome = run.run()
      #expect(outcome.hasConverged, "seed \(seed)")
      #expect(outcome.updates == 9 * 12)
    }
  }

  @Test("draws users by Zipf's law")
  func distribution() {
    var random = SeededGenerator(seed: 5)
    // Place 16 is drawn 16 to the power of the coefficient times less often.
    let cases: [(quarters: Int, times: Double)] = [(1, 2), (4, 16), (6, 64)]
    for (quarters, times) in cases {
      let distribution = ZipfDistribution(count: 1_000, quarters: quarters)
      var counts = Array(repeating: 0, count: 1_000)
      for _ in 0..<20_000 { counts[distribution.draw(using: &random)] += 1 }
      let around = Double(counts[13..<18].reduce(0, +)) / 5
      let ratio = Double(counts[0]) / max(around, 0.1)
      #expect(ratio > times / 2 && ratio < times * 2, "\(quarters): \(ratio)")
    }
  }

  @Test("has operations in the paper's shares")
  func shares() {
    let workload = RetwisWorkload(coefficient: 0.5, seed: 1)
    let all: [RetwisOperation] = Array(workload.operations.joined())
    var (follows, posts) = (0, 0)
    for operation in all {
      switch operation {
      case .follow: follows += 1
      case .post: posts += 1
      case .read: break
      }
    }
    #expect(all.count == 5_000)
    #expect(abs(follows - 750) < 120)
    #expect(abs(posts - 1_750) < 180)
  }

  @Test("keeps its keys and texts through their bytes")
  func coding() throws {
    let keys = RetwisObject.allCases.flatMap { object in
      [(0, 0), (7, 70_000), (9_999, 3)].map {
        RetwisKey(object: object, user: $0, number: $1)
      }
    }
    let texts = [.empty, RetwisText(9, of: 31), RetwisText(70_000, of: 270)]
    var writer = ByteWriter()
    for key in keys { key.encode(to: &writer) }
    for text in texts { text.encode(to: &writer) }
    let lengths = 6 + 1 + 32 + 272
    #expect(writer.count > lengths)
    let bytes = writer.finish()
    var reader = ByteReader(bytes)
    for key in keys { #expect(try RetwisKey(from: &reader) == key) }
    for text in texts { #expect(try RetwisText(from: &reader) == text) }
    #expect(reader.remaining == 0)
  }

  @Test("costs what its bytes take")
  func costs() {
    let posts = RetwisMessage(
      object: RetwisMessage.object(.posts, of: 100),
      message: .delta(NumberSet([5, 9]), sequence: 3))
    #expect(
      posts.cost
        == ExperimentCost(
          messages: 1, elements: 2, metadata: 1, bytes: 9 + 2 + 1 + 1 + 2 * (1 + 31 + 2 + 270)))
    #expect(RetwisMessage.kind(of: posts.object) == .posts)
    for (number, length) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3)] {
      #expect(RetwisObject.varintLength(number) == length, "\(number)")
    }
  }
}
