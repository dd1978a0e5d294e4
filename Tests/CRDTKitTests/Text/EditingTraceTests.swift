import CRDTTestSupport
import Foundation
import Testing
import Toolkit

@testable import CRDTKit

/// Reads traces, and replays a recorded one through the model and through texts.
@Suite("Editing traces")
struct EditingTraceTests {
  @Test func expandsEdits() throws {
    let trace = try EditingTrace(
      """
      # a remark
      kind sequential
      sha256 ab cd

      t 0 "a\\nb"
      i 3 "\\u00e9\\ud83d\\udc4d漢\\"\\\\\\/"
      b 2 2
      x 1 2
      d 0 1
      r 0 1 "z"
      """)
    #expect(trace.header == ["kind": "sequential", "sha256": "ab cd"])
    #expect(!trace.isConcurrent)
    #expect(trace.agentCount == 1)
    let patches = try #require(trace.transactions.first).patches
    #expect(
      patches.map { "\($0.position) \($0.deleteCount) \($0.inserted)" } == [
        "0 0 a", "1 0 \n", "2 0 b", "3 0 é👍漢\"\\/", "2 1 ", "1 1 ", "1 1 ", "1 1 ", "0 1 ",
        "0 1 z",
      ])
  }

  @Test func readsTransactions() throws {
    let trace = try EditingTrace(
      "kind concurrent\n\n@ 0\ni 0 \"a\"\n@ 1\ni 0 \"b\"\n@ 0 0 1\nd 0 1\n@ 1 1\n")
    #expect(trace.transactions.map(\.agent) == [0, 1, 0, 1])
    #expect(trace.transactions.map(\.parents) == [[], [], [0, 1], [1]])
    #expect(patchCount(of: trace) == 3)
    var seen: Set<Int> = [0]
    #expect(trace.unseen(upTo: [2], seen: &seen) == [1, 2])
    #expect(seen == [0, 1, 2])
  }

  @Test(arguments: [
    ("kind", 1), ("kind sequential", 1), ("a b\na c\n\n", 2), ("kind sequential\n\ni 0", 3),
    ("kind sequential\n\ni 1 \"a\"", 3), ("kind sequential\n\nq 0 1", 3),
    ("kind sequential\n\ni 0 \"a\" 1", 3), ("kind sequential\n\ni 0 \"\\ud800\"", 3),
    ("kind sequential\n\ni 0 \"\\u+123\"", 3), ("kind sequential\n\ni 0 \"a", 3),
    ("kind sequential\n\ni 0 \"a\"\nx 0 9223372036854775807", 4),
    ("kind sequential\n\ni 0 \"a\"\nb 0 2", 4), ("kind sequential\n\n@ 0", 3),
    ("kind sequential\n\ni -1 \"a\"", 3), ("kind sequential\n\n\n", 3), ("\ni", 2),
    ("kind concurrent\n\ni 0 \"a\"", 3), ("kind concurrent\n\n@ 0 0", 3),
    ("kind concurrent\n\n@ 9223372036854775807", 3),
  ])
  func refuses(text: String, line: Int) {
    let failure = #expect(throws: EditingTrace.Failure.self) { try EditingTrace(text) }
    #expect(failure?.line == line)
  }

  @Test func refusesBytesThatAreNoUTF8() {
    let failure = #expect(throws: EditingTrace.Failure.self) {
      try EditingTrace(utf8: Array("kind sequential\n\ni 0 \"".utf8) + [0xC3, 0x22])
    }
    #expect(failure?.line == 3)
  }

  @Test("two people's recorded edits end as published, in the model and in texts")
  func replaysConcurrently() throws {
    let trace = try recorded("friendsforever")
    #expect(trace.transactions.count == trace.number("transactions"))
    #expect(patchCount(of: trace) == trace.number("patches"))
    #expect(trace.agentCount == trace.number("agents"))
    let (replicas, insertedCount) = replay(trace)
    #expect(insertedCount == trace.number("inserted"))
    for sequence in replicas.sequences {
      #expect(sequence.count == trace.number("scalars"))
      #expect(sequence.text == replicas.sequences[0].text)
      #expect(sequence.elements == replicas.sequences[0].elements)
    }
    let end = Array(replicas.sequences[0].text.utf8)
    let digest = end.withUnsafeBytes { SHA256.digest(of: $0).hexadecimal }
    #expect(digest == trace.header["sha256"])
    #expect(String(replayThroughTexts(trace)) == replicas.sequences[0].text)
  }

  /// Replays a trace with a replica for each agent, and lets all of them see everything.
  private func replay(_ trace: EditingTrace) -> (NaiveReplicas, insertedCount: Int) {
    var replicas = NaiveReplicas(count: trace.agentCount)
    var seen: [Set<Int>] = Array(repeating: [], count: trace.agentCount)
    var changes: [[NaiveReplicas.Change]] = []
    for (number, transaction) in trace.transactions.enumerated() {
      let agent = transaction.agent
      for earlier in trace.unseen(upTo: transaction.parents, seen: &seen[agent]) {
        for change in changes[earlier] { replicas.receive(change, at: agent) }
      }
      seen[agent].insert(number)
      var made: [NaiveReplicas.Change] = []
      for patch in transaction.patches {
        let range = patch.position..<patch.position + patch.deleteCount
        if !range.isEmpty { made.append(replicas.delete(range, by: agent)) }
        if !patch.inserted.isEmpty {
          made.append(replicas.insert(patch.inserted, at: patch.position, by: agent))
        }
      }
      changes.append(made)
    }
    let all = Array(trace.transactions.indices)
    for agent in seen.indices {
      for number in trace.unseen(upTo: all, seen: &seen[agent]) {
        for change in changes[number] { replicas.receive(change, at: agent) }
      }
    }
    return (replicas, replicas.sequences[0].nodes.count)
  }

  /// Replays a trace with a text for each agent; agents merge whole states.
  private func replayThroughTexts(_ trace: EditingTrace) -> ReplicatedText {
    var texts = Array(repeating: ReplicatedText(), count: trace.agentCount)
    var states: [ReplicatedText] = []
    for transaction in trace.transactions {
      let agent = transaction.agent
      let replica = ReplicaID(UInt64(agent) + 1)
      for parent in transaction.parents { texts[agent].merge(states[parent]) }
      for patch in transaction.patches {
        let start = texts[agent].index(patch.position, in: .unicodeScalars)
        let end = texts[agent].index(
          patch.position + patch.deleteCount, in: .unicodeScalars)
        texts[agent].removeSubrange(start..<end, by: replica)
        let place = texts[agent].index(patch.position, in: .unicodeScalars)
        texts[agent].insert(patch.inserted, at: place, by: replica)
      }
      states.append(texts[agent])
    }
    return texts.dropFirst().reduce(texts[0]) { $0.merging($1) }
  }

  private func recorded(_ name: String) throws -> EditingTrace {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/traces/\(name).trace")
    return try EditingTrace(utf8: Array(Data(contentsOf: file)))
  }

  private func patchCount(of trace: EditingTrace) -> Int {
    trace.transactions.reduce(0) { $0 + $1.patches.count }
  }
}
