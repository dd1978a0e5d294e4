import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("The page of a simulation")
struct ReportPageTests {
  private func occurrences(of part: String, in text: String) -> Int {
    text.split(separator: part, omittingEmptySubsequences: false).count - 1
  }

  private func marks(in html: String) -> Int { occurrences(of: "<title>", in: html) - 1 }

  private func page(_ run: SampleRun) -> (page: ReportPage, html: String) {
    let page = ReportPage(run: TraceRun(run.events))
    return (page, page.html)
  }

  @Test("has all in itself: nothing that a browser would fetch")
  func selfContained() {
    let html = page(SampleRun(replicas: 7, events: 500, seed: 4)).html
    for part in ["http:", "https:", "src=", "url(", "@import", "<link", "href="] {
      let isThere = html.contains(part)
      #expect(!isThere, "\(part)")
    }
    for part in [
      "<svg", "partition", "crash", "Replica by replica", "id=\"slider\"", "@media print",
    ] {
      #expect(html.contains(part), "\(part)")
    }
  }

  @Test("ends every element that it begins")
  func elements() throws {
    let html = page(SampleRun(replicas: 7, events: 500, seed: 4)).html
    // What is in scripts and styles are no elements.
    let bare = html.replacing(/<(script|style)[^>]*>[\s\S]*?<\/(script|style)>/, with: "")
    var open: [Substring] = []
    let void: Set<Substring> = ["meta", "input"]
    for tag in bare.matches(of: /<(\/?)([a-z0-9]+)[^>]*?(\/?)>/) {
      let (_, slash, name, end) = tag.output
      if !slash.isEmpty {
        #expect(open.popLast() == name)
      } else if end.isEmpty, !void.contains(name) {
        open.append(name)
      }
    }
    #expect(open.isEmpty)
  }

  @Test("shows hostile text as text")
  func hostileText() throws {
    let hostile = "</script><script>alert(1)</script><!-- \" ' & \u{2028}\u{0}"
    let events = [
      TraceEvent(time: 0, kind: .begin, value: hostile, detail: hostile),
      TraceEvent(time: 1, kind: .edit, replica: 0, digest: hostile, value: hostile),
      TraceEvent(
        time: 2, kind: .send, replica: 0, peer: 1, message: 1, bytes: 3, detail: hostile),
      TraceEvent(time: 3, kind: .partition, detail: hostile),
      TraceEvent(time: 4, kind: .crash, replica: 1, detail: hostile),
      TraceEvent(time: 5, kind: .violation, detail: hostile),
      TraceEvent(time: 6, kind: .end, detail: hostile),
    ]
    let page = ReportPage(
      run: TraceRun(events), series: [ByteSeries(hostile, [ByteSeries.Point(time: 1, bytes: 2)])])
    let html = page.html
    #expect(occurrences(of: "<script", in: html) == 2)
    #expect(occurrences(of: "</script>", in: html) == 2)
    #expect(!html.contains("<!--") && !html.contains("alert(1)<"))
    #expect(!html.contains("\u{2028}") && !html.contains("\u{0}"))
    let embedded = try #require(html.firstMatch(of: /id="data">(.*?)<\/script>/)?.output.1)
    let data = try JSONText(parsing: Array(embedded.utf8))
    let values = try #require(data.root.members?.first { $0.name == "values" })
    let value = try #require(values.value.elements?.first)
    #expect(data.string(of: value) == hostile.clipped(to: 200))
  }

  @Test("of a big run stays small, and keeps what is rare")
  func thinning() throws {
    let run = SampleRun(replicas: 150, events: 9_000, seed: 5, interval: 3_000_000)
    let (page, html) = page(run)
    #expect(html.utf8.count < 2_000_000)
    #expect(marks(in: html) <= SpaceTimeDiagram.marksMax * 5 / 4)
    #expect(page.diagram.lanes.shown.count == DiagramLanes.shownMax)
    #expect(html.contains("60 of 150 replicas are shown"))
    for kind in [TraceEvent.Kind.crash, .pause, .join, .leave, .clock, .partition, .restart] {
      let all = run.events.filter { $0.kind == kind }
      #expect(!all.isEmpty, "\(kind)")
      for event in all {
        let text = HTML.escaped(SpaceTimeDiagram.text(of: event))
        let isThere = html.contains("<title>\(text)")
        #expect(isThere, "\(text)")
      }
    }
  }

  @Test("lets each of several partitions end by itself")
  func partitions() {
    let run = TraceRun([
      TraceEvent(time: 0, kind: .edit, replica: 1),
      TraceEvent(time: 1_000_000, kind: .partition, detail: "1"),
      TraceEvent(time: 2_000_000, kind: .partition, detail: "2"),
      TraceEvent(time: 3_000_000, kind: .heal, detail: "1"),
      TraceEvent(time: 4_000_000, kind: .partition, detail: "3"),
      TraceEvent(time: 5_000_000, kind: .heal, detail: "2"),
      TraceEvent(time: 6_000_000, kind: .heal, detail: "all links"),
    ])
    let html = ReportPage(run: run).html
    let ends = html.matches(of: /<title>[^<]*the network parts[^<]*; until (\d) s</).map {
      String($0.output.1)
    }
    #expect(ends == ["3", "5", "6"], "\(ends)")
  }

  @Test("says how much it left out")
  func omissions() {
    var events = (0..<9_000).map { place in
      TraceEvent(time: UInt64(place), kind: .edit, replica: place % 3, events: 1)
    }
    for message in 0..<9_000 {
      let time = UInt64(9_000 + message)
      events.append(
        TraceEvent(time: time, kind: .send, replica: 0, peer: 1, message: message, bytes: 1))
      if message % 100 == 0 {
        events.append(TraceEvent(time: time, kind: .lose, replica: 0, peer: 1, message: message))
      }
    }
    let page = ReportPage(run: TraceRun(events))
    let parts = page.diagram.choice.parts
    #expect(page.diagram.choice.count <= SpaceTimeDiagram.marksMax)
    #expect(page.diagram.choice.count > SpaceTimeDiagram.marksMax * 9 / 10)
    #expect(parts.first { $0.name == "messages with faults" }?.drawn == 90)
    #expect(parts.map(\.all) == [90, 8_910, 9_000])
    #expect(page.html.contains("of 8,910 messages without faults"))
    #expect(page.html.contains("All messages with faults are there."))
  }

  @Test("is made of any trace, however little is in it")
  func smallTraces() {
    let replicas = (0..<3).map { TraceEvent(time: 0, kind: .join, replica: $0) }
    let lone = [TraceEvent(time: 7, kind: .receive, replica: 99_999, peer: 1, message: 5)]
    let late = [TraceEvent(time: TraceEvent.timeMax, kind: .end)]
    for events in [[], replicas, lone, late, replicas + lone + late] {
      let html = ReportPage(run: TraceRun(events)).html
      #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
      #expect(html.utf8.count < 3_000_000)
    }
  }

  @Test("compares the bytes of several runs in one chart, with a run of its own or without")
  func series() {
    let series = ["deltas", "this session"].map { name in
      ByteSeries(name, (0..<9).map { ByteSeries.Point(time: UInt64($0) * 7, bytes: $0 * 1_000) })
    }
    let title = TraceEvent(time: 0, kind: .begin, value: "Growth")
    let alone = ReportPage(run: TraceRun([title]), series: series)
    #expect(alone.charts.map(\.id) == ["bytes"])
    #expect(alone.charts.first?.series.map(\.name) == ["deltas", "this session"])
    #expect(alone.html.contains("<h1>Growth</h1>"))
    let isDrawn = alone.html.contains("id=\"diagram\"")
    #expect(!isDrawn)
    let run = TraceRun(SampleRun(replicas: 5, events: 200, seed: 6).events)
    let beside = ReportPage(run: run, series: series)
    #expect(beside.charts.map(\.id) == ["agreement", "bytes"])
    #expect(beside.charts.last?.series.map(\.name) == ["this run", "deltas", "this session"])
  }

  @Test("writes numbers of bytes and times as people read them")
  func numbers() {
    let bytes = [0, 7, 999, 1_000, 9_994, 12_345, 999_499, 999_500, 5_250_000_000]
    let texts = ["0 B", "7 B", "999 B", "1 kB", "9.99 kB", "12.3 kB", "999 kB", "1 MB", "5.25 GB"]
    #expect(bytes.map(ByteCount.text) == texts)
    #expect(
      [0, 1, 1_500_000, 90_000_000_000].map(TraceTime.text) == [
        "0 s", "0.000001 s", "1.5 s", "90,000 s",
      ])
    #expect(EvenSample.places(of: 10, max: 4) == [0, 3, 6, 9])
    #expect(EvenSample.places(of: 3, max: 4) == [0, 1, 2])
    #expect(
      [1, 2, 3, 11, 60, 5_001].map { TimeAxis.roundStep(atLeast: $0) } == [
        1, 2, 5, 20, 100, 10_000,
      ])
  }
}
