import Toolkit

/// Lines over time, as part of a page.
///
/// The lines are stretched to the width there is; all text is HTML beside them, so
/// that it is as large on a phone as on paper.
struct PageChart {
  /// One line.
  struct Series {
    var name: String
    var points: [(time: UInt64, value: Double)]
  }

  /// How many points of a line are drawn, and how many lines.
  static let pointsMax = 500
  static let seriesMax = 12

  /// What the page calls it.
  let id: String
  let title: String
  let caption: String
  /// Whether a value holds until the next one.
  let isStepped: Bool
  let series: [Series]
  /// The greatest value that there is room for.
  private let top: Double
  private let step: Double
  let end: UInt64
  private let text: (Double) -> String

  /// A chart whose greatest value is a round one, or just the greatest there is.
  init(
    id: String, title: String, caption: String, isStepped: Bool, series: [Series], end: UInt64,
    isTight: Bool = false, text: @escaping (Double) -> String
  ) {
    self.id = id
    self.title = title
    self.caption = caption
    self.isStepped = isStepped
    self.series = series.prefix(Self.seriesMax).map { line in
      Series(
        name: line.name, points: EvenSample.elements(of: line.points, max: Self.pointsMax))
    }
    self.end = max(end, self.series.compactMap { $0.points.last?.time }.max() ?? 0, 1)
    let greatest = self.series.flatMap(\.points).map(\.value).max() ?? 0
    let least = UInt64(max(greatest / 4, 1).rounded(.up))
    step = Double(TimeAxis.roundStep(atLeast: least))
    top = isTight ? max(greatest, 1) : max((greatest / step).rounded(.up), 1) * step
    self.text = text
  }

  /// The chart as a figure.
  var html: String {
    """
    <figure class="card chart" id="\(id)">
    <figcaption><h2>\(HTML.escaped(title))</h2><p>\(HTML.escaped(caption))</p></figcaption>
    <div class="plot"><div class="ylabels" aria-hidden="true">\(heights)</div>
    <div class="area" role="img" tabindex="0" aria-label="\(HTML.escaped(summary))">\
    <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">\
    <path class="grid" d="\(gridLines)"/>\(lines)</svg></div>
    <div class="xlabels" aria-hidden="true">\(times)</div></div>
    \(legend)</figure>

    """
  }

  private var summary: String {
    title + ". "
      + series.map { "\($0.name): in the end \(text($0.points.last?.value ?? 0))" }
      .joined(separator: "; ")
  }

  /// Round values, and the greatest.
  private var marks: [Double] {
    stride(from: 0, through: top, by: step).filter { $0 < top * 0.91 } + [top]
  }

  private var heights: String {
    marks.map { "<span style=\"bottom:\(Self.percent($0 / top))\">\(text($0))</span>" }.joined()
  }

  private var gridLines: String {
    marks.map { "M0 \(Self.number(1 - $0 / top))H1000" }.joined()
  }

  private var times: String {
    TimeAxis(end: end, left: 0, width: 1).ticks(about: 5).map { time in
      "<span style=\"left:\(Self.percent(Double(time) / Double(end)))\">"
        + "\(TraceTime.text(time))</span>"
    }.joined()
  }

  private var lines: String {
    series.enumerated().map { index, line in
      "<path class=\"line s\(index)\" d=\"\(path(line.points))\"/>"
    }.joined()
  }

  private func path(_ points: [(time: UInt64, value: Double)]) -> String {
    var path = ""
    for point in points {
      let x = Self.number(Double(min(point.time, end)) / Double(end))
      let y = Self.number(1 - point.value / top)
      path += path.isEmpty ? "M\(x) \(y)" : isStepped ? "H\(x)V\(y)" : "L\(x) \(y)"
    }
    return isStepped && !path.isEmpty ? path + "H1000" : path
  }

  private var legend: String {
    guard series.count > 1 else { return "" }
    let items = series.enumerated().map { index, line in
      "<li><svg width=\"26\" height=\"10\" aria-hidden=\"true\"><path class=\"line s\(index)\" "
        + "d=\"M1 5H25\"/></svg>\(HTML.escaped(line.name.clipped(to: 60))) <b>"
        + "\(text(line.points.last?.value ?? 0))</b></li>"
    }
    return "<ul class=\"legend\">\(items.joined())</ul>\n"
  }

  private static func number(_ share: Double) -> String {
    ByteCount.digits(share * 1_000, decimals: 1)
  }

  private static func percent(_ share: Double) -> String {
    ByteCount.digits(share * 100, decimals: 2) + "%"
  }

  /// The lines' values, for who points at them.
  var data: JSONValue {
    .object([
      ("id", .string(id)), ("end", .unsigned(end)), ("step", .bool(isStepped)),
      ("bytes", .bool(text(1_000).hasSuffix("B"))),
      (
        "lines",
        .array(
          series.map { line in
            .object([
              ("name", .string(line.name.clipped(to: 60))),
              (
                "points",
                .array(
                  line.points.flatMap { [JSONValue.unsigned($0.time), .integer(Int($0.value))] })
              ),
            ])
          })
      ),
    ])
  }
}
