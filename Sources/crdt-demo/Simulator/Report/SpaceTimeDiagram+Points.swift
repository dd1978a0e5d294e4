extension SpaceTimeDiagram {
  /// Edits as ticks, merges as dots.
  var points: String {
    "<g class=\"points\">\n"
      + choice.points.map { point(run.events[$0]) }.joined() + "</g>\n"
  }

  private func point(_ event: TraceEvent) -> String {
    guard let height = lanes.height(of: event.replica) else { return "" }
    let (x, y) = (axis.place(of: event.time), height)
    if event.kind == .edit {
      return path(
        "mark edit", "M\(Self.point((x, y - 7)))V\(Self.number(y + 7))", Self.text(of: event))
    }
    return circle("mark learn", (x, y), 3.2, Self.text(of: event))
  }

  func circle(
    _ style: String, _ center: (Double, Double), _ radius: Double, _ text: String
  ) -> String {
    "<circle class=\"\(style)\" cx=\"\(Self.number(center.0))\" cy=\"\(Self.number(center.1))\" "
      + "r=\"\(Self.number(radius))\"><title>\(HTML.escaped(text))</title></circle>\n"
  }

  /// All that there is to say of an event.
  static func text(of event: TraceEvent) -> String {
    var text = "\(TraceTime.text(event.time)): \(event.sentence)"
    if let value = event.value { text += "; \(value.clipped(to: 160))" }
    if let digest = event.digest { text += "; digest \(digest.clipped(to: 32))" }
    if let detail = event.detail { text += " (\(detail.clipped(to: 160)))" }
    return text
  }

  /// Crashes, cuts, joins and what else is rare, on top of all.
  var faults: String {
    "<g class=\"faults\">\n" + choice.rare.map { fault(run.events[$0]) }.joined() + "</g>\n"
  }

  private func fault(_ event: TraceEvent) -> String {
    let x = axis.place(of: event.time)
    let text = Self.text(of: event)
    guard event.replica != nil else {
      switch event.kind {
      case .violation: return whole("mark broken", x, text)
      case .heal: return whole("mark heal", x, text)
      default: return ""
      }
    }
    if event.kind == .cut { return cut(event, x, text) }
    guard let y = lanes.height(of: event.replica) else { return "" }
    switch event.kind {
    // Beside their time, so that both are seen where they share it.
    case .crash: return path("mark crash", Self.box((x - 5, y), 5), text)
    case .restart: return path("mark again", Self.triangle((x + 4, y), 6), text)
    case .pause: return path("mark pause", "M\(Self.point((x - 2, y - 6)))v12m4 -12v12", text)
    case .resume: return path("mark again", Self.triangle((x, y), 6), text)
    case .join: return circle("mark join", (x, y), 5, text)
    case .leave: return circle("mark leave", (x, y), 5, text)
    case .clock: return path("mark clock", Self.diamond((x, y), 6), text)
    case .violation: return circle("mark broken", (x, y), 8, text)
    case .lose: return path("mark lost", "M\(Self.point((x - 4, y - 4)))l8 8m0 -8l-8 8", text)
    case .duplicate, .corrupt: return path("mark bad", Self.diamond((x, y), 4), text)
    default: return ""
    }
  }

  private func cut(_ event: TraceEvent, _ x: Double, _ text: String) -> String {
    let heights = [lanes.height(of: event.replica), lanes.height(of: event.peer)].compactMap { $0 }
    guard let one = heights.first, let other = heights.last else { return "" }
    let shape =
      Self.diamond((x, one), 4) + Self.diamond((x, other), 4)
      + "M\(Self.point((x, one)))V\(Self.number(other))"
    return path("mark cut", shape, text)
  }

  /// A line through all lanes.
  private func whole(_ style: String, _ x: Double, _ text: String) -> String {
    let shape = "M\(Self.point((x, Self.axisHeight)))V\(Self.number(lanes.bottom))"
    return path(style, shape, text)
  }

  private static func box(_ center: (Double, Double), _ half: Double) -> String {
    let side = number(2 * half)
    return "M\(point((center.0 - half, center.1 - half)))h\(side)v\(side)h-\(side)z"
  }

  private static func diamond(_ center: (Double, Double), _ half: Double) -> String {
    let arm = number(half)
    return "M\(point((center.0, center.1 - half)))l\(arm) \(arm)l-\(arm) \(arm)l-\(arm) -\(arm)z"
  }

  private static func triangle(_ center: (Double, Double), _ half: Double) -> String {
    let (arm, whole) = (number(half), number(2 * half))
    return "M\(point((center.0 - half / 2, center.1 - half)))v\(whole)l\(whole) -\(arm)z"
  }
}
