import CRDTKit
import Foundation
import Toolkit

/// A page of HTML that shows a run: one file that needs nothing else.
struct ReportPage {
  let run: TraceRun
  let diagram: SpaceTimeDiagram
  let frames: TimelineFrames
  let charts: [PageChart]

  /// A page of a run, or of an empty one that has but a title, with the bytes of other
  /// runs beside this one's.
  init(run: TraceRun, series: [ByteSeries] = []) {
    self.run = run
    diagram = SpaceTimeDiagram(run: run)
    frames = TimelineFrames(run: run, lanes: diagram.lanes)
    var charts: [PageChart] = []
    if run.hasDigests { charts.append(Self.agreementChart(of: run)) }
    charts.append(Self.byteChart(of: run, beside: series))
    self.charts = charts
  }

  /// A page without a run: charts alone, of bytes until when.
  init(title: String, command: String, charts: [(title: String, series: [ByteSeries])]) {
    run = TraceRun([TraceEvent(time: 0, kind: .begin, value: title, detail: command)])
    diagram = SpaceTimeDiagram(run: run)
    frames = TimelineFrames(run: run, lanes: diagram.lanes)
    self.charts = charts.enumerated().map { number, chart in
      PageChart(
        id: "bytes-\(number + 1)", title: chart.title, caption: Self.sentUntilThen,
        isStepped: false, series: chart.series.map(Self.line), end: 0,
        text: { ByteCount.text(Int($0)) })
    }
  }

  /// The whole page.
  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(Self.securityPolicy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="generator" content="\(Self.program)">
    <title>\(HTML.escaped(run.title.clipped(to: 200)))</title>
    <style>
    \(PageStyle.text)</style>
    </head>
    <body>
    \(header)<main>
    \(tiles)\(violations)\(diagramSection)\(stateSection)<div class="charts">
    \(charts.map(\.html).joined())</div>
    \(table)</main>
    <footer><p>Made by \(Self.program). Times are virtual.</p></footer>
    <div id="tip" role="status" aria-live="polite" hidden></div>
    <script type="application/json" id="data">\(HTML.embedded(data))</script>
    <script>\(PageScript.element)</script>
    </body>
    </html>

    """
  }

  private static var program: String { String(Console.version.dropLast()) }

  private var header: String {
    let command =
      run.command.map {
        "<p class=\"command\"><code id=\"command\">\(HTML.escaped($0))</code>"
          + "<button type=\"button\" id=\"copy\" hidden>Copy</button></p>\n"
      } ?? ""
    return """
      <header>
      <div class="top"><p class="brand">crdt-demo</p>\
      <button type="button" id="theme" hidden>Dark</button></div>
      <h1>\(HTML.escaped(run.title.clipped(to: 300)))</h1>
      \(command)</header>

      """
  }

  /// What the script works with.
  private var data: JSONValue {
    let axis = diagram.axis
    return .object([
      ("left", .number(axis.left)), ("width", .number(axis.width)), ("end", .unsigned(run.end)),
      ("digests", .array(frames.digests.map(JSONValue.string))),
      ("values", .array(frames.values)),
      ("frames", .array(frames.frames)),
      ("charts", .array(charts.map(\.data))),
    ])
  }
}

extension ReportPage {
  private static func agreementChart(of run: TraceRun) -> PageChart {
    let steps = run.agreement
    var series = [
      PageChart.Series(
        name: "agree", points: steps.map { (time: $0.time, value: Double($0.agreeing)) })
    ]
    if Set(steps.map(\.present)).count > 1 {
      series.append(
        PageChart.Series(
          name: "take part", points: steps.map { (time: $0.time, value: Double($0.present)) }))
    }
    return PageChart(
      id: "agreement", title: "Agreement over time",
      caption: "How many replicas hold the state that most hold.", isStepped: true,
      series: series, end: run.end, isTight: true, text: { Int($0).grouped })
  }

  private static func byteChart(of run: TraceRun, beside others: [ByteSeries]) -> PageChart {
    let isAlone = others.isEmpty
    var series: [PageChart.Series] = []
    if isAlone || run.total.sent > 0 {
      series.append(
        PageChart.Series(name: isAlone ? "sent" : "this run", points: bytes(of: .send, in: run)))
    }
    if isAlone {
      series.append(PageChart.Series(name: "received", points: bytes(of: .receive, in: run)))
    }
    series += others.map(line)
    return PageChart(
      id: "bytes", title: isAlone ? "Bytes over time" : "Bytes by algorithm",
      caption: isAlone
        ? "All that was sent and received until then." : sentUntilThen,
      isStepped: false, series: series, end: run.end, text: { ByteCount.text(Int($0)) })
  }

  private static let sentUntilThen = "All that was sent until then."

  private static func line(_ bytes: ByteSeries) -> PageChart.Series {
    PageChart.Series(
      name: bytes.name, points: bytes.points.map { (time: $0.time, value: Double($0.bytes)) })
  }

  private static func bytes(
    of kind: TraceEvent.Kind, in run: TraceRun
  ) -> [(time: UInt64, value: Double)] {
    var points: [(time: UInt64, value: Double)] = [(time: 0, value: 0)]
    var sum = 0
    for event in run.events where event.kind == kind {
      sum += event.bytes ?? 0
      if let last = points.indices.last, points[last].time == event.time {
        points[last].value = Double(sum)
      } else {
        points.append((time: event.time, value: Double(sum)))
      }
    }
    points.append((time: run.end, value: Double(sum)))
    return points
  }

  /// What a browser lets the page do.
  ///
  /// It runs its own script, which is known by its digest, and looks as it does. It loads
  /// nothing, and runs nothing that got into it by a text.
  static let securityPolicy: String = {
    let words = SHA256.hexadecimalDigest(of: Array(PageScript.element.utf8))
    let digest = Data(
      stride(from: 0, to: words.count, by: 2).map { place in
        let start = words.index(words.startIndex, offsetBy: place)
        return UInt8(words[start...].prefix(2), radix: 16) ?? 0
      })
    return "default-src 'none'; script-src 'sha256-\(digest.base64EncodedString())'; "
      + "style-src 'unsafe-inline'"
  }()
}
