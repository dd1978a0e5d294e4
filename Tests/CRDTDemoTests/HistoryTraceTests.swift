import CRDTStoreTesting
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("History traces")
struct HistoryTraceTests {
  private func parse(_ text: String) throws -> HistoryTrace {
    try HistoryTrace(parsing: Array(text.utf8))
  }

  @Test("are understood, with or without a last newline")
  func wellFormed() throws {
    let text = "C\t0\t5\t100\t-\n+\ta b\t0123456789ab\n-\té\nC\t1\t6\t99\t0"
    let trace = try parse(text)
    #expect(
      trace.commits == [
        HistoryTrace.Commit(
          lane: 5, seconds: 100, parents: [],
          changes: [.write(path: "a b", hash: "0123456789ab"), .remove(path: "é")], line: 1),
        HistoryTrace.Commit(lane: 6, seconds: 99, parents: [0], line: 4),
      ])
    #expect(try parse(text + "\n").commits == trace.commits)
  }

  @Test("are refused at the line that is wrong, with the reason")
  func malformedLines() {
    let start = "C\t0\t0\t1\t-\n"
    let cases: [(text: String, line: Int, reason: String)] = [
      ("", 1, "there is no commit"),
      ("\n", 1, "the line is empty"),
      (start + "\n", 2, "the line is empty"),
      (start + "X\ta\n", 2, "a line must begin with C, + or - and a tab"),
      (start + "CC\t1\n", 2, "a line must begin with C, + or - and a tab"),
      ("+\ta\t0123456789ab\n", 1, "a change comes before any commit"),
      (start + "+\ta\n", 2, "a write must have a path and a hash"),
      (start + "+\ta\t0123456789ab\t\n", 2, "a write must have a path and a hash"),
      (start + "-\ta\tb\n", 2, "a removal must have a path"),
      (start + "-\n", 2, "a removal must have a path"),
      (start + "-\t\n", 2, "the path is empty"),
      (start + "+\ta\t0123456789aB\n", 2, "the hash must be 12 lowercase hexadecimal digits"),
      (start + "+\ta\t0123456789ab\r\n", 2, "the hash must be 12 lowercase hexadecimal digits"),
      ("C\t0\t0\t1\n", 1, "a commit must have an index, a lane, a time and parents"),
      ("C\t0\t0\t1\t-\t\t\n", 1, "a commit must have an index, a lane, a time and parents"),
      ("C\t1\t0\t1\t-\n", 1, "the commit's index must be 0"),
      ("C\tx\t0\t1\t-\n", 1, "the index must be a whole number"),
      ("C\t0\t-1\t1\t-\n", 1, "the lane must be a whole number"),
      ("C\t0\t18446744073709551616\t1\t-\n", 1, "the lane must be a whole number"),
      ("C\t0\t18446744073709551615\t1\t-\n", 1, "the lane is out of bounds"),
      ("C\t0\t0\t\t-\n", 1, "the time must be a whole number"),
      ("C\t0\t0\t1\t0\n", 1, "parent 0 does not come before its child"),
      ("C\t0\t0\t1\t\n", 1, "a parent must be a whole number"),
      (start + "C\t1\t0\t1\t0,0\n", 2, "parent 0 is named twice"),
      (start + "C\t1\t0\t1\t0,\n", 2, "a parent must be a whole number"),
      (start + "C\t1\t0\t1\t-\n", 2, "lane 0 forks: its last commit, 0, is not a parent"),
    ]
    for (text, line, reason) in cases {
      #expect(
        throws: HistoryTrace.Malformed(line: line, reason: reason), "\(text.debugDescription)"
      ) {
        try parse(text)
      }
    }
  }

  @Test("are refused where text is not UTF-8 or a path is too long")
  func badPaths() {
    let start = Array("C\t0\t0\t1\t-\n-\t".utf8)
    #expect(throws: HistoryTrace.Malformed(line: 2, reason: "the path is not valid UTF-8")) {
      try HistoryTrace(parsing: start + [0xFF, 0x0A])
    }
    let long = [UInt8](repeating: 0x61, count: HistoryTrace.pathLengthMax + 1)
    #expect(throws: HistoryTrace.Malformed.self) {
      try HistoryTrace(parsing: start + long + [0x0A])
    }
    #expect(throws: Never.self) {
      try HistoryTrace(parsing: start + long.dropLast() + [0x0A])
    }
  }

  @Test("never trap, whatever the bytes")
  func randomDamage() throws {
    let text = Array("C\t0\t0\t1\t-\n+\ta\t0123456789ab\nC\t1\t0\t2\t0\n-\ta\n".utf8)
    var generator = SeededGenerator(seed: 5)
    var refused = 0
    for _ in 0..<5_000 {
      var damaged = text
      for _ in 0...generator.below(3) {
        damaged[generator.below(damaged.count)] = UInt8(generator.below(256))
      }
      do {
        _ = try HistoryTrace(parsing: damaged)
      } catch {
        refused += 1
        #expect((1...8).contains(error.line))
      }
    }
    #expect(refused > 2_500)
  }
}
