import CRDTKit
import Testing

@testable import CRDTSimulator
@testable import Toolkit

@Suite("Texts on the page of a simulation")
struct WrittenTextTests {
  private func texts(_ texts: [(String, String?)]) -> [TraceEvent] {
    texts.enumerated().map { number, text in
      TraceEvent(
        time: UInt64(number), kind: .edit, replica: 0, digest: "\(number)", value: text.0,
        authors: text.1)
    }
  }

  @Test("authors are written so that they read as they were, and nothing else is read")
  func authors() throws {
    for text in ["0:12", "0:12 2:5 -:3"] {
      #expect(try #require(TextAuthors(text)).description == text)
    }
    for text in ["", "0", "0:", "0:0", "0:-1", "x:1", "-1:2", "0:1 ", "100000:1", "0:1:2"] {
      #expect(TextAuthors(text) == nil, "\(text)")
    }
  }

  @Test("the beginning of a text is kept, with who wrote what of it")
  func written() {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(2))
    var text = ReplicatedText("a👍c", by: phone)
    text.insert("é\n", at: text.index(2, in: .unicodeScalars), by: laptop)
    let written = WrittenText(text)
    #expect(written.text == "a👍é\nc")
    #expect(
      written.parts == [
        .init(replica: phone, count: 2), .init(replica: laptop, count: 2),
        .init(replica: phone, count: 1),
      ])
    text.append(String(repeating: "x", count: 2_000), by: phone)
    let long = WrittenText(text)
    #expect(long.text.unicodeScalars.count == WrittenText.scalarsMax + 1)
    #expect(long.text.hasSuffix("x…"))
    #expect(long.parts.reduce(0) { $0 + $1.count } == WrittenText.scalarsMax)
  }

  @Test("a run of typists names in each text who wrote its parts")
  func world() throws {
    var scenario = Scenario()
    (scenario.engine, scenario.workload) = (.world, .text)
    (scenario.replicas, scenario.operations) = (3, 60)
    var events: [TraceEvent] = []
    let outcome = scenario.schedule().play { events.append($0) }
    #expect(outcome.violations.isEmpty)
    var places: Set<Int?> = []
    for event in events where event.kind == .edit || event.kind == .learn {
      let text = try #require(event.value).unicodeScalars
      let words = try #require(event.authors)
      let parts = words.isEmpty ? [] : try #require(TextAuthors(words)).parts
      #expect(parts.reduce(0) { $0 + $1.count } == text.count)
      places.formUnion(parts.map(\.place))
    }
    #expect(places == [0, 1, 2])
    let html = ReportPage(run: TraceRun(events)).html
    for place in 0..<3 {
      #expect(html.contains("<span class=\"by a\(place)\" title=\"replica \(place + 1)\">"))
    }
  }

  @Test("a text is shown in parts, by the slider's moments too, and as text whatever it says")
  func hostileTexts() throws {
    let hostile = "</script><script>alert(1)</script>\n<!-- & \u{0}\u{1B}[31m"
    let events =
      [TraceEvent(time: 0, kind: .begin, value: "a run")]
      + texts([("plain", nil), ("ab", "0:1 7:1"), ("abc", "junk"), (hostile, "0:9 -:4")])
    let page = ReportPage(run: TraceRun(events))
    let html = page.html
    #expect(html.split(separator: "<script").count == 3)
    #expect(!html.contains("<!--") && !html.contains("alert(1)<") && !html.contains("\u{1B}"))
    #expect(html.contains("<span class=\"by a0\" title=\"replica 1\">&lt;/script&gt;</span>"))
    #expect(html.contains("<span class=\"by\" title=\"unknown\">"))
    let embedded = try #require(html.firstMatch(of: /id="data">(.*?)<\/script>/)?.output.1)
    let data = try JSONText(parsing: Array(embedded.utf8))
    let values = try #require(data.root.members?.first { $0.name == "values" }?.value.elements)
    #expect(values.map { $0.elements?.count ?? -1 } == [-1, 4, -1, 4])
    let parts = try #require(values[1].elements)
    #expect(data.string(of: parts[1]) == "a" && data.string(of: parts[3]) == "b")
  }

  @Test("long texts don't make a page large: it has fewer moments then")
  func size() {
    let long = String(repeating: "漢", count: 1_000)
    let events = texts((0..<900).map { ("\($0) \(long)", "0:500 1:500") })
    let page = ReportPage(run: TraceRun(events))
    #expect(page.html.utf8.count < 2_500_000)
    #expect(page.frames.frames.count > 4)
    #expect(page.frames.values.count <= page.frames.frames.count)
  }
}
