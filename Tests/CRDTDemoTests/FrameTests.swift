import CRDTKit
import CRDTStoreTesting
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Messages between the coordinator and its replicas")
struct FrameTests {
  private static let orders: [Order] = [
    .start(
      ReplicaSettings(
        index: 2, replicas: 4, neighbours: [0, 1, 3], seed: .max, patienceMilliseconds: 1_000,
        sabotage: FaultInjection(replica: 2, round: 3, kind: .hang))),
    .start(
      ReplicaSettings(
        index: 0, replicas: 2, neighbours: [], seed: 0, patienceMilliseconds: 1,
        sabotage: nil)),
    .start(
      ReplicaSettings(
        index: 0, replicas: 2, neighbours: [1], seed: 0, patienceMilliseconds: 1,
        marksLedger: true,
        task: ReplicaTask(
          workload: .map, keys: 3,
          script: [HistoryEdit(key: 2, isRemoval: true), HistoryEdit(key: 0, isRemoval: false)]),
        silenceMax: 20)),
    .work(
      round: 7, milliseconds: 1_800_000_000_000, target: 40,
      [
        LinkMessage(peer: 1, connection: 3, content: .bytes([1, 200, 3])),
        LinkMessage(peer: 0, connection: 1, content: .ended),
      ]),
    .heal([LinkMessage(peer: 2, connection: 300, content: .opened)]),
    .heal([
      LinkMessage(
        peer: 63, connection: 2, content: .bytes(Array(repeating: 9, count: 1_000)))
    ]),
    .report,
  ]

  private static let replies: [Reply] = [
    .round(
      messages: [LinkMessage(peer: 1, connection: 1, content: .bytes([]))], operationsMade: 12),
    .report(
      ReplicaReport(
        counts: ReplicaCounts(operations: 3, bytesSent: 1 << 40, microseconds: 9),
        digests: ["a", "b"], contents: ["é"], conflictsOpen: 3, sums: [-4, 5], added: [1, 2],
        entries: [6, 7], entriesMade: 7)),
    .trouble("a fork"),
  ]

  @Test("survive the way there, however the pipe cuts them")
  func roundTrip() throws {
    let stream = Self.orders.flatMap(\.frame)
    for size in [1, 2, 3, 7, 64, stream.count] {
      var frames = FrameBuffer()
      var received: [Order] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        frames.append { $0 += stream[start..<min(start + size, stream.count)] }
        while let body = try frames.next() { received.append(try Order(body: body)) }
      }
      #expect(received == Self.orders)
      #expect(!frames.isPartial)
    }
    for reply in Self.replies {
      #expect(try Reply(body: Array(reply.frame.dropFirst(4))) == reply)
    }
  }

  @Test("that are cut off, too long or damaged are refused and never trap")
  func damage() throws {
    var generator = SeededGenerator(seed: 11)
    for message in Self.orders.map(\.frame) + Self.replies.map(\.frame) {
      let body = Array(message.dropFirst(4))
      for length in 0..<min(body.count, 200) {
        let cut = Array(body[..<length])
        #expect((try? Order(body: cut)).map { Self.orders.contains($0) } != true)
      }
      for _ in 0..<200 {
        var damaged = body
        damaged[generator.below(damaged.count)] = UInt8(generator.below(256))
        _ = try? Order(body: damaged)
        _ = try? Reply(body: damaged)
      }
    }
    var frames = FrameBuffer()
    frames.append { $0 += [0xFF, 0xFF, 0xFF, 0xFF] }
    #expect(throws: CommandFailure("a message of 4294967295 bytes is too long")) {
      try frames.next()
    }
  }
}
