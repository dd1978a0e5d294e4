extension SpaceTimeDiagram {
  /// The messages as arrows from their sends to their receives.
  var messages: String {
    "<g class=\"messages\">\n" + choice.messages.map(drawn).joined() + "</g>\n"
  }

  private func drawn(_ track: MessageTrack) -> String {
    let send = run.events[track.send]
    guard let ends = heights(of: send) else { return "" }
    let (from, goal) = ((axis.place(of: send.time), ends.from), ends.to)
    var text = "\(TraceTime.text(send.time)): \(send.sentence)"
    if let detail = send.detail { text += " (\(detail.clipped(to: 160)))" }
    if track.isDamaged { text += "; a bit of it flips" }
    if track.isDuplicated { text += "; it is duplicated" }
    var marks = ""
    for (count, arrival) in track.arrivals.enumerated() {
      let time = run.events[arrival].time
      let style = track.isDamaged ? "mark bad" : count > 0 ? "mark twice" : "mark sent"
      var (from, to) = (from, (axis.place(of: time), goal))
      if !lanes.isShown(send.replica) { from.0 = to.0 - Self.stub / 2 }
      if !lanes.isShown(send.peer) { to.0 = from.0 + Self.stub / 2 }
      marks += path(style, Self.arrow(from, to), "\(text); it arrives at \(TraceTime.text(time))")
    }
    guard track.arrivals.isEmpty else { return marks }
    if let loss = track.loss {
      let why = run.events[loss].detail.map { " (\($0.clipped(to: 160)))" } ?? ""
      return path(
        "mark lost", lost(from, goal, at: run.events[loss].time), text + "; it is lost" + why)
    }
    let end = (from.0 + 12, from.1 + (goal - from.1) * 0.4)
    return path(
      "mark open", "M\(Self.point(from))L\(Self.point(end))", "\(text); under way at the end")
  }

  /// How far a message goes to a replica without a lane.
  private static let stub = 16.0

  /// Between which heights a message goes: of one with an end that has no lane there
  /// is a short piece at the other.
  private func heights(of send: TraceEvent) -> (from: Double, to: Double)? {
    switch (lanes.height(of: send.replica), lanes.height(of: send.peer)) {
    case (let from?, let to?): (from, to)
    case (let from?, nil): (from, from + Self.stub)
    case (nil, let to?): (to - Self.stub, to)
    case (nil, nil): nil
    }
  }

  /// A line that ends in a cross, at the time of the loss or shortly after the send.
  private func lost(
    _ from: (Double, Double), _ goal: Double, at time: UInt64
  ) -> String {
    let place = min(max(axis.place(of: time), from.0 + 12), axis.left + axis.width + 10)
    let way = goal - from.1
    let end = (place, from.1 + min(max(way * 0.45, -40), 40))
    return "M\(Self.point(from))L\(Self.point(end))\(Self.cross(end))"
  }

  private static func cross(_ center: (Double, Double)) -> String {
    let (x, y, arm) = (center.0, center.1, 4.0)
    return "M\(point((x - arm, y - arm)))L\(point((x + arm, y + arm)))"
      + "M\(point((x - arm, y + arm)))L\(point((x + arm, y - arm)))"
  }

  /// A line with a head.
  private static func arrow(_ from: (Double, Double), _ to: (Double, Double)) -> String {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1)
    let length = max((dx * dx + dy * dy).squareRoot(), 1)
    let (ux, uy) = (dx / length, dy / length)
    let tip = (to.0 - ux * 2, to.1 - uy * 2)
    let (back, side) = (6.0, 2.6)
    let base = (tip.0 - ux * back, tip.1 - uy * back)
    let left = (base.0 - uy * side, base.1 + ux * side)
    let right = (base.0 + uy * side, base.1 - ux * side)
    return "M\(point(from))L\(point(tip))M\(point(left))L\(point(tip))L\(point(right))"
  }

  static func point(_ point: (Double, Double)) -> String {
    "\(number(point.0)) \(number(point.1))"
  }

  /// A mark with what it stands for.
  func path(_ style: String, _ shape: String, _ text: String) -> String {
    "<path class=\"\(style)\" d=\"\(shape)\"><title>\(HTML.escaped(text))</title></path>\n"
  }
}
