import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Traces")
struct TraceFormatTests {
  private func events(_ text: String) throws -> [TraceEvent] {
    var reader = TraceReader(Array(text.utf8), name: "t")
    return try reader.rest()
  }

  /// An event of which any member may be there.
  private func randomEvent(
    at time: UInt64, using generator: inout SeededGenerator
  ) -> TraceEvent {
    func number(_ max: Int) -> Int? {
      Bool.random(using: &generator) ? Int.random(in: 0...max, using: &generator) : nil
    }
    func text() -> String? {
      let texts = ["", "a", "\"</script>\\\n\u{0}\u{2028}", "tea, é, 茶", "\u{1B}[31m"]
      return Bool.random(using: &generator) ? texts.randomElement(using: &generator) : nil
    }
    return TraceEvent(
      time: time, kind: TraceEvent.Kind.allCases.randomElement(using: &generator) ?? .edit,
      replica: number(TraceEvent.maximumReplicas - 1), peer: number(9), message: number(1 << 40),
      bytes: number(1 << 40), events: number(3), digest: text(), value: text(), authors: text(),
      detail: text())
  }

  @Test("are written so that they read as they were")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 11)
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/trace.jsonl"
    let all = (0..<400).map { randomEvent(at: UInt64($0) * 7, using: &generator) }
    let writer = try TraceWriter(path: path)
    for event in all { writer.write(event) }
    try writer.finish()
    #expect(try TraceReader.events(in: path) == all)
    #expect(try TraceReader.events(in: path).map(\.line) == all.map(\.line))
    // However few bytes come at once, and without the last newline.
    #expect(try events(all.map(\.line).joined(separator: "\n")) == all)
  }

  @Test("have their members in one order, and none that is absent")
  func order() {
    let full = TraceEvent(
      time: 1, kind: .edit, replica: 2, peer: 3, message: 4, bytes: 5, events: 6, digest: "7",
      value: "8", authors: "0:1", detail: "9")
    #expect(
      full.line == #"{"time":1,"kind":"edit","replica":2,"peer":3,"message":4,"bytes":5,"#
        + #""events":6,"digest":"7","value":"8","authors":"0:1","detail":"9"}"#)
    #expect(TraceEvent(time: 0, kind: .end).line == #"{"time":0,"kind":"end"}"#)
  }

  @Test("are refused where a line is wrong, with its number and what is wrong")
  func badLines() {
    let good = #"{"time":5,"kind":"edit","replica":1}"# + "\n"
    let cases: [(line: String, trouble: String)] = [
      ("", "t:3:1: expected a value, not the end of the text"),
      ("[]", "t:3:1: a line of a trace is an object"),
      (#"{"kind":"edit"}"#, "t:3:1: there is no 'time'"),
      (#"{"time":9}"#, "t:3:1: there is no 'kind'"),
      (#"{"time":9,"kind":"edit""#, "t:3:24: expected ',' or '}' in the object, not the end of"),
      (#"{"time":9,"kind":"dance"}"#, "t:3:18: 'kind' must be one of begin, edit, send"),
      (#"{"time":-1,"kind":"edit"}"#, "t:3:9: 'time' must be a whole number from 0 to"),
      (#"{"time":1e3,"kind":"edit"}"#, "t:3:9: 'time' must be a whole number from 0 to"),
      (#"{"time":"9","kind":"edit"}"#, "t:3:9: 'time' must be a whole number from 0 to"),
      (
        #"{"time":9007199254740992,"kind":"edit"}"#,
        "t:3:9: 'time' must be a whole number from 0 to 9007199254740991"
      ),
      (#"{"time":9,"kind":"edit","colour":1}"#, "t:3:25: an event has no such member"),
      (
        #"{"time":9,"kind":"edit","replica":100000}"#,
        "t:3:35: 'replica' must be a whole number from 0 to 99999"
      ),
      (
        #"{"time":9,"kind":"edit","bytes":18446744073709551616}"#,
        "t:3:33: 'bytes' must be a whole number from 0 to"
      ),
      (#"{"time":9,"kind":"edit","value":7}"#, "t:3:33: 'value' must be a string"),
      (#"{"time":9,"time":9,"kind":"edit"}"#, "t:3:11: the name \"time\" occurs twice"),
      (#"{"time":4,"kind":"edit"}"#, "t:3: the time 4 is before that of the line above, 5"),
      (
        #"{"time":9,"kind":"edit","value":""# + String(repeating: "a", count: 70_000) + "\"}",
        "t:3: the line is longer than 65,536 bytes"
      ),
    ]
    for (line, trouble) in cases {
      let error = #expect(throws: CommandFailure.self) {
        try events(good + good + line + "\n" + good)
      }
      #expect(error?.description.hasPrefix(trouble) == true, "\(line.prefix(80)): \(error as Any)")
    }
  }

  @Test("are compared by their first difference")
  func comparison() throws {
    var generator = SeededGenerator(seed: 12)
    let all = (0..<60).map { randomEvent(at: UInt64($0), using: &generator) }
    #expect(TraceComparison(of: all, named: "a", with: all, named: "b") == nil)
    for place in all.indices {
      var other = all
      other[place].bytes = (other[place].bytes ?? 0) + 1
      other[place].value = "another"
      let found = TraceComparison(of: all, named: "a", with: other, named: "b")
      let difference = try #require(found)
      #expect(difference.line == place + 1)
      let expected = "the traces differ first in line \(place + 1), in bytes, value:\n"
      #expect(difference.description.hasPrefix(expected), "\(difference)")
      let short = TraceComparison(of: all, named: "a", with: Array(all[..<place]), named: "b")
      let ended = "  b:\(place + 1): nothing, the trace ends before it"
      #expect(short?.description.hasSuffix(ended) == true)
      #expect(short?.left.event == all[place])
    }
  }

  @Test("count what replicas did, and since when they agree")
  func run() {
    func state(_ time: UInt64, _ replica: Int, _ digest: String) -> TraceEvent {
      TraceEvent(time: time, kind: .edit, replica: replica, events: 2, digest: digest)
    }
    let run = TraceRun([
      TraceEvent(time: 0, kind: .begin, value: "title", detail: "command"),
      state(1, 0, "a"), state(2, 1, "a"), state(3, 2, "b"), state(4, 2, "a"), state(5, 0, "c"),
      state(5, 0, "a"), TraceEvent(time: 6, kind: .leave, replica: 1),
      TraceEvent(time: 7, kind: .end, detail: "verdict"),
    ])
    #expect(run.title == "title" && run.command == "command" && run.verdict == "verdict")
    #expect(run.replicas.map(\.edits) == [6, 2, 4])
    #expect(run.agreement.map(\.time) == [0, 1, 4, 6])
    #expect(
      run.agreement.map(\.agreeing) == [3, 2, 3, 2])
    #expect(run.convergence == 4)
    #expect(run.commonDigest == "a")
  }
}
