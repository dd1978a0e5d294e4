import Toolkit

/// The picture of a run with its replicas as lines and time to the right.
///
/// Of a big run it draws a part: all that is rare, and an even sample of the rest.
struct SpaceTimeDiagram {
  /// About how many marks are drawn.
  static let marksMax = 4_000
  /// How many of those may be of one kind that is drawn before all others.
  static let rareMax = 1_200
  static let gutter = 94.0
  static let axisHeight = 34.0

  let run: TraceRun
  let lanes: DiagramLanes
  let axis: TimeAxis
  let choice: DiagramChoice

  init(run: TraceRun) {
    self.run = run
    lanes = DiagramLanes(run: run, top: Self.axisHeight)
    choice = DiagramChoice(run: run, lanes: lanes)
    var times = 0
    var last: UInt64?
    for event in run.events where event.time != last {
      times += 1
      last = event.time
    }
    let wanted = max(Double(min(times, 60)) * 30, Double(choice.count) * 1.2)
    axis = TimeAxis(
      end: run.end, left: Self.gutter + 18, width: min(max(wanted, 1_060), 4_800))
  }

  private var width: Double { axis.left + axis.width + 30 }
  private var height: Double { lanes.bottom + 4 }

  /// The diagram, with its time axis and its names in places of their own, so that
  /// they stay when it is scrolled.
  var html: String {
    let size = "viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\""
    let label =
      "Space-time diagram: \(run.replicas.count.counted("replica")), "
      + "\(TraceTime.text(run.end)). Arrow keys step through the events."
    return """
      <div class="diagram" id="diagram" tabindex="0" role="group" aria-label="\(label)">
      <div class="canvas" style="width:\(Self.number(width))px">
      \(overlays)<svg id="plot" \(size) width="\(Self.number(width))" \
      height="\(Self.number(height))">
      \(spans)\(grid)\(laneLines)\(messages)\(points)\(faults)<line id="cursor" y1="\
      \(Self.number(Self.axisHeight))" y2="\(Self.number(height))" x1="-9" x2="-9"/>
      <g class="onpaper" style="font-size:\(Self.number(paperSize))px">\(axisLabels)\(names)</g>
      </svg></div></div>

      """
  }

  /// What is fixed while the diagram is scrolled.
  private var overlays: String {
    let axisSize = "width=\"\(Self.number(width))\" height=\"\(Self.number(Self.axisHeight))\""
    let nameSize = "width=\"\(Self.number(Self.gutter))\" height=\"\(Self.number(height))\""
    return """
      <svg class="corner" width="\(Self.number(Self.gutter))" \
      height="\(Self.number(Self.axisHeight))" aria-hidden="true"></svg>
      <svg class="axis" \(axisSize) aria-hidden="true">\(axisLabels)</svg>
      <svg class="names" \(nameSize) aria-hidden="true">\(names)</svg>

      """
  }

  /// How large text is so that it can be read where all of it is as wide as a sheet.
  private var paperSize: Double { min(max(12 * width / 1_150, 12), 19) }

  private var ticks: [UInt64] { axis.ticks(about: Int(axis.width / 100)) }

  private var axisLabels: String {
    ticks.map { time in
      "<text x=\"\(Self.number(axis.place(of: time)))\" y=\"22\" text-anchor=\"middle\">"
        + "\(TraceTime.text(time))</text>"
    }.joined()
  }

  private var names: String {
    lanes.shown.indices.map { lane in
      "<text x=\"\(Self.number(Self.gutter - 12))\" y=\""
        + "\(Self.number(lanes.height(ofLane: lane) + 4))\" text-anchor=\"end\">"
        + "\(lanes.name(ofLane: lane))</text>"
    }.joined()
  }

  private var grid: String {
    let lines = ticks.map { time in
      let place = Self.number(axis.place(of: time))
      return "M\(place) \(Self.number(Self.axisHeight))V\(Self.number(height))"
    }
    return "<path class=\"grid\" d=\"\(lines.joined())\"/>\n"
  }

  /// A coordinate with one decimal.
  static func number(_ value: Double) -> String {
    ByteCount.digits(value, decimals: 1)
  }
}

/// Where times stand from left to right.
struct TimeAxis {
  /// The time at the right end, in microseconds.
  let end: UInt64
  /// Where the beginning is, and how far from it the end.
  let left: Double
  let width: Double

  /// Where a time is.
  func place(of time: UInt64) -> Double {
    end == 0 ? left : left + width * Double(min(time, end)) / Double(end)
  }

  /// Round times, so far apart that about so many fit.
  func ticks(about count: Int) -> [UInt64] {
    guard end > 0 else { return [0] }
    let step = Self.roundStep(atLeast: max(end / UInt64(max(count, 1)), 1))
    return Array(stride(from: 0, through: end, by: Int(clamping: step)))
  }

  /// The least of 1, 2, 5, 10, 20 and so on that is no less than that.
  static func roundStep(atLeast least: UInt64) -> UInt64 {
    var power: UInt64 = 1
    while true {
      for factor in [1, 2, 5] as [UInt64] where power * factor >= least { return power * factor }
      power *= 10
    }
  }
}
