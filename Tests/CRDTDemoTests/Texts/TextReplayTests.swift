import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import Toolkit
@testable import crdt_demo

@Suite("crdt-demo replay, of the edits of a text")
struct TextReplayTests {
  private static let folder =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Fixtures"
  private static let friends = folder + "/traces/friendsforever.trace"
  private static let digest = "4720ec330c91e288c00b71cab318f7a1cdde689dfc401f269c353acfd6cb03f6"

  private func digest(of text: String) -> String {
    SHA256.hexadecimalDigest(of: Array(text.utf8))
  }

  private func replay(_ text: String) throws -> TextReplayResult {
    var replay = TextReplay(try EditingTrace(text))
    return try replay.run { _ in }
  }

  @Test("two people's recorded edits end as published, with a replica for each of them")
  func recorded() throws {
    let run = try DemoRun.run("replay", Self.friends)
    #expect(run.errors == "")
    #expect(run.status == 0)
    let figures =
      "agents=2 transactions=3727 patches=26078 scalars=21362 sha256=\(Self.digest)"
    #expect(run.lines.first == figures[...])
    // Each has received what the other wrote.
    #expect(try #require(run.lines.last).contains(/^deltas=3727 bytes=[1-9]\d*$/))
    #expect(run.lines.count == 2)
  }

  @Test("one writer's edits are replayed by one replica, without deltas")
  func sequential() throws {
    let trace = """
      # a remark
      kind sequential
      patches 9
      scalars 4
      sha256 \(digest(of: "né👍\n"))

      t 0 "Ean\\u00e9"
      b 1 2
      i 2 "\\ud83d\\udc4d\\n\\n"
      x 3 1
      r 0 1 "n"

      """
    let run = try DemoRun.run("replay", "-", input: trace)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output
        == "agents=1 transactions=1 patches=9 scalars=4 sha256=\(digest(of: "né👍\n"))\n"
        + "deltas=0 bytes=0\n")
    let json = try DemoRun.run("replay", "--json", "--as=text", "-", input: trace)
    #expect(
      json.output
        == "{\"agents\":1,\"transactions\":1,\"patches\":9,\"scalars\":4,"
        + "\"sha256\":\"\(digest(of: "né👍\n"))\",\"expected\":true,\"agreed\":true,"
        + "\"deltas\":0,\"bytes\":0}\n")
  }

  @Test("concurrent transactions start from what their parents have, and nothing more")
  func concurrent() throws {
    let result = try replay(
      """
      kind concurrent

      @ 0
      t 0 "ac"
      @ 1 0
      t 1 "b"
      @ 2 0
      t 2 "d"
      @ 0 0
      d 0 1
      @ 2 1 2 3
      t 3 "e"
      """)
    #expect(result.digest == digest(of: "bcde"))
    #expect(result.isAgreed && result.problem == nil)
    #expect((result.agents, result.transactions, result.patches) == (3, 5, 6))
    // Each of three agents has received what the two others made.
    #expect(result.deltas == 10)
  }

  /// A trace of what random agents do, with the positions of the model, and the model's end.
  private func randomTrace(seed: UInt64) -> (trace: String, end: String) {
    let schedule = RandomTextSchedule(seed: seed)
    var model = NaiveReplicas(count: schedule.replicaCount)
    var body: [String] = []
    var heads: [[Int]] = Array(repeating: [], count: schedule.replicaCount)
    var count = 0
    for step in schedule.steps {
      var (line, agent) = ("", 0)
      switch step {
      case .insert(let who, let position, let text):
        agent = who % schedule.replicaCount
        line = "i \(position % (model.sequences[agent].count + 1)) \(text.jsonQuoted)"
      case .delete(let who, let position, let length):
        agent = who % schedule.replicaCount
        let rest = model.sequences[agent].count
        if rest > 0 {
          let first = position % rest
          line = "d \(first) \(min(length, rest - first))"
        }
      case .merge(let who, let other):
        heads[who % schedule.replicaCount] += heads[other % schedule.replicaCount]
      }
      model.apply(step)
      guard !line.isEmpty else { continue }
      body += ["@ \(([agent] + heads[agent]).map(String.init).joined(separator: " "))", line]
      heads[agent] = [count]
      count += 1
    }
    for agent in heads.indices.dropFirst() { model.apply(.merge(0, from: agent)) }
    let trace = (["kind concurrent", ""] + body).joined(separator: "\n")
    return (trace, model.sequences[0].text)
  }

  @Test("random concurrent edits end as in the plain model of the algorithm")
  func random() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      let (trace, end) = randomTrace(seed: seed)
      guard let edits = try? EditingTrace(trace) else { continue }
      var replay = TextReplay(edits)
      let result = try replay.run { _ in }
      #expect(result.isAgreed && result.digest == digest(of: end), "seed \(seed)")
    }
  }

  @Test("an end that isn't the recorded one is a failure")
  func unexpectedEnd() throws {
    let other = digest(of: "b")
    let trace = "kind sequential\nsha256 \(other)\n\ni 0 \"a\"\n"
    let run = try DemoRun.run("replay", "-", input: trace)
    #expect(run.status == 1)
    #expect(run.output.contains(" scalars=1 sha256=\(digest(of: "a"))\n"))
    #expect(
      run.errors
        == "crdt-demo: -: the text differs from the one that the trace was recorded with, "
        + "whose SHA-256 is \(other)\n")
  }

  @Test("says what of a trace can't be replayed, and in which line")
  func unplayable() {
    let cases: [(trace: String, line: Int, reason: String)] = [
      (
        "kind sequential\n\ni 0 \"ab\"\nd 0 2\ni 1 \"c\"", 5,
        "the edit reaches to position 1, but the text has 0 scalars there"
      ),
      (
        "kind sequential\n\nt 0 \"ab\"\nx 0 1\nr 0 2 \"c\"", 5,
        "the edit reaches to position 2, but the text has 1 scalars there"
      ),
      (
        "kind concurrent\n\n@ 0\ni 0 \"ab\"\n@ 1\ni 1 \"c\"", 6,
        "the edit reaches to position 1, but the text has 0 scalars there"
      ),
      (
        "kind concurrent\n\n@ 0\ni 0 \"ab\"\n@ 1 0\n@ 0 1\n@ 0\ni 0 \"c\"", 7,
        "transaction 3 of agent 0 doesn't follow that agent's last, 2: name that as a parent, "
          + "or give the transaction an agent of its own"
      ),
    ]
    for (trace, line, reason) in cases {
      #expect(throws: EditingTrace.Failure(line: line, reason: reason), "\(trace)") {
        try replay(trace)
      }
    }
  }

  @Test("refuses what isn't a trace of this kind, or one that was cut off")
  func refusals() throws {
    let cases: [(words: [String], input: String, message: String)] = [
      (
        ["-"], "kind sequential\n\nq 0\n",
        "-:3: no edit is called q: there are i, t, d, b, x and r"
      ),
      (["-"], "kind parallel\n\n", "-:1: the kind must be sequential or concurrent"),
      (
        ["-"], "kind sequential\npatches 7\n\ni 0 \"a\"\n",
        "-:4: the head says 7 for patches, but there are 1: the trace may be cut off"
      ),
      (["-"], "# a remark\n", "-:1: no empty line ends the head"),
      (["-"], "\u{1F}\u{8B}", "-:1: a line must begin with C, + or - and a tab"),
      (
        ["--as=map", "-"], "kind sequential\n\n",
        "-: the edits of a text can't be a map; use --as=text"
      ),
      (
        ["--as=text", "-"], "C\t0\t0\t1\t-\n",
        "-: a history can't be a text; use --as=map or --as=document"
      ),
      (
        ["-"], "{\"time\":0,\"kind\":\"begin\"}\n",
        "-: it is the trace of a simulation: read it by 'crdt-demo trace'"
      ),
    ]
    for (words, input, message) in cases {
      let run = try DemoRun.run(["replay"] + words, input: input)
      #expect(run.errors == "crdt-demo: \(message)\n")
      #expect(run.output == "" && run.status == 2)
    }
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/a.trace.gz"
    try FileWriter.write([0x1F, 0x8B, 8, 0], to: file)
    let run = try DemoRun.run("replay", file)
    #expect(run.status == 2 && run.errors.contains("gunzip -c FILE"), "\(run.errors)")
  }

  @Test("few bytes never ask for much memory: what they would expand to is bounded")
  func bounds() {
    // Each line stands for a million patches that delete what is there but once.
    let letters = String(repeating: "a", count: 1_000_000)
    let deletions = Array(repeating: "x 0 1000000", count: 9).joined(separator: "\n")
    let tooMany = EditingTrace.Failure(line: 11, reason: "there are more than 8,000,000 patches")
    #expect(throws: tooMany) {
      try EditingTrace("kind sequential\n\ni 0 \"\(letters)\"\n\(deletions)")
    }
    let agents = (0..<999).map { "@ \($0)" } + Array(repeating: "@ 998 0", count: 9_000)
    #expect(
      throws: EditingTrace.Failure(
        line: 5_507, reason: "there are too many transactions and parents for 999 agents")
    ) {
      try EditingTrace("kind concurrent\n\n\(agents.joined(separator: "\n"))")
    }
    #expect(throws: EditingTrace.Failure(line: 3, reason: "agents are numbered from 0 to 999")) {
      try EditingTrace("kind concurrent\n\n@ 1000\n")
    }
  }
}
