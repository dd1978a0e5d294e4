import CRDTKit
import Toolkit

/// Replays the edits of a text: each agent of the trace is a replica.
///
/// What a transaction changes is encoded as a delta. Before an agent edits, it decodes and
/// applies the deltas of all transactions that its parents have and it has not.
struct TextReplay {
  private let trace: EditingTrace
  private var texts: [ReplicatedText]
  /// The transactions that each agent has.
  private var seen: [Set<Int>]
  /// The last transaction of each agent.
  private var last: [Int?]
  /// The encoded delta of each transaction; of a lone agent, none.
  private var deltas: [[UInt8]] = []
  private var deltaCount = 0
  private var deltaBytes = 0

  init(_ trace: EditingTrace) {
    self.trace = trace
    texts = Array(repeating: ReplicatedText(), count: trace.agentCount)
    seen = Array(repeating: [], count: trace.agentCount)
    last = Array(repeating: nil, count: trace.agentCount)
  }

  /// Replays all transactions, reporting how many patches are done.
  mutating func run(progress: (Int) -> Void) throws -> TextReplayResult {
    var done = 0
    for (number, transaction) in trace.transactions.enumerated() {
      let agent = transaction.agent
      try receive(upTo: transaction.parents, at: agent, before: number)
      let version = texts[agent].version
      for (place, patch) in transaction.patches.enumerated() {
        if done % 1_000 == 0 { progress(done) }
        try make(patch, by: agent) { transaction.line(ofPatch: place) }
        done += 1
      }
      seen[agent].insert(number)
      last[agent] = number
      deltas.append(texts.count > 1 ? texts[agent].delta(since: version).encoded() : [])
    }
    for agent in texts.indices {
      try apply(
        trace.unseen(upTo: Array(trace.transactions.indices), seen: &seen[agent]), at: agent)
    }
    return result()
  }

  /// Brings an agent to the state in which it made a transaction.
  private mutating func receive(
    upTo parents: [Int], at agent: Int, before number: Int
  ) throws {
    let unseen = trace.unseen(upTo: parents, seen: &seen[agent])
    if let last = last[agent] {
      let isNext =
        parents.contains(last) || unseen.contains { trace.transactions[$0].parents.contains(last) }
      guard isNext else {
        throw EditingTrace.Failure(
          line: trace.transactions[number].line,
          reason: "transaction \(number) of agent \(agent) doesn't follow that agent's last, "
            + "\(last): name that as a parent, or give the transaction an agent of its own")
      }
    }
    try apply(unseen, at: agent)
  }

  private mutating func apply(_ transactions: [Int], at agent: Int) throws {
    for transaction in transactions {
      deltaCount += 1
      deltaBytes += deltas[transaction].count
      try texts[agent].apply(decoding: deltas[transaction])
    }
  }

  private mutating func make(
    _ patch: EditingTrace.Patch, by agent: Int, line: () -> Int
  ) throws(EditingTrace.Failure) {
    let replica = ReplicaID(UInt64(agent) + 1)
    let end = patch.position + patch.deleteCount
    let count = texts[agent].count(in: .unicodeScalars)
    guard end <= count else {
      throw EditingTrace.Failure(
        line: line(),
        reason: "the edit reaches to position \(end), but the text has \(count) scalars there")
    }
    let start = texts[agent].index(patch.position, in: .unicodeScalars)
    texts[agent].replaceSubrange(
      start..<texts[agent].index(end, in: .unicodeScalars), with: patch.inserted, by: replica)
  }

  private func result() -> TextReplayResult {
    let first = texts.first ?? ReplicatedText()
    let bytes = first.encoded()
    let text = String(first)
    return TextReplayResult(
      agents: texts.count, transactions: trace.transactions.count, patches: trace.patchCount,
      scalars: first.count(in: .unicodeScalars),
      digest: SHA256.hexadecimalDigest(of: Array(text.utf8)),
      expectedDigest: trace.header["sha256"],
      isAgreed: texts.dropFirst().allSatisfy { $0.encoded() == bytes && String($0) == text },
      deltas: deltaCount, deltaBytes: deltaBytes)
  }
}

/// What a replayed text ends with.
struct TextReplayResult: Equatable {
  var agents: Int
  var transactions: Int
  var patches: Int
  /// The length of the text in Unicode scalars.
  var scalars: Int
  /// The SHA-256 of the text's UTF-8, and the one that the trace gives, if it gives one.
  var digest: String
  var expectedDigest: String?
  /// Whether all replicas ended with the same bytes and the same text.
  var isAgreed: Bool
  /// How many deltas were applied, and their encoded size.
  var deltas: Int
  var deltaBytes: Int

  /// What is wrong with the end, if anything is.
  var problem: String? {
    if !isAgreed { return "the replicas ended with different texts" }
    guard let expectedDigest, expectedDigest != digest else { return nil }
    return "the text differs from the one that the trace was recorded with, "
      + "whose SHA-256 is \(expectedDigest)"
  }

  /// The result as people read it.
  var text: String {
    """
    agents=\(agents) transactions=\(transactions) patches=\(patches) scalars=\(scalars) \
    sha256=\(digest)
    deltas=\(deltas) bytes=\(deltaBytes)

    """
  }

  /// The result as programs read it.
  var json: JSONValue {
    .object([
      ("agents", .integer(agents)),
      ("transactions", .integer(transactions)),
      ("patches", .integer(patches)),
      ("scalars", .integer(scalars)),
      ("sha256", .string(digest)),
      ("expected", expectedDigest.map { .bool($0 == digest) } ?? .null),
      ("agreed", .bool(isAgreed)),
      ("deltas", .integer(deltas)),
      ("bytes", .integer(deltaBytes)),
    ])
  }
}
