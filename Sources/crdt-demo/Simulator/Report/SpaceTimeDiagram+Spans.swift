extension SpaceTimeDiagram {
  /// A time in which something lasts.
  private struct Span {
    var from: UInt64
    var to: UInt64
    var event: TraceEvent
  }

  /// Partitions as shaded times.
  var spans: String {
    var open: [Span] = []
    var spans: [Span] = []
    for event in run.events {
      switch event.kind {
      case .partition: open.append(Span(from: event.time, to: run.end, event: event))
      case .heal:
        if let place = open.firstIndex(where: { Self.ends($0.event, by: event) }) {
          let span = open.remove(at: place)
          spans.append(Span(from: span.from, to: event.time, event: span.event))
          continue
        }
        let isOver = { (span: Span) in
          event.replica == nil
            || (span.event.replica == event.replica && span.event.peer == event.peer)
        }
        spans += open.filter(isOver).map { Span(from: $0.from, to: event.time, event: $0.event) }
        open.removeAll(where: isOver)
      default: break
      }
    }
    let all = EvenSample.elements(of: spans + open, max: Self.rareMax)
    return "<g class=\"spans\">\n" + all.map(drawn).joined() + "</g>\n"
  }

  /// Whether an event heals just the partition that another has begun: the groups that
  /// both tell are its identity.
  private static func ends(_ partition: TraceEvent, by heal: TraceEvent) -> Bool {
    heal.replica == nil && partition.replica == nil && heal.detail != nil
      && partition.detail == heal.detail
  }

  private func drawn(_ span: Span) -> String {
    let (from, to) = (axis.place(of: span.from), axis.place(of: span.to))
    guard let (top, bottom) = extent(of: span.event) else { return "" }
    let width = max(to - from, 2)
    let text = "\(Self.text(of: span.event)); until \(TraceTime.text(span.to))"
    let label =
      span.event.replica == nil && width > 70
      ? "<text class=\"spanname\" x=\"\(Self.number(from + 6))\" y=\"\(Self.number(top + 13))\">"
        + "partition</text>\n" : ""
    return "<rect class=\"mark part\" x=\"\(Self.number(from))\" y=\"\(Self.number(top))\" "
      + "width=\"\(Self.number(width))\" height=\"\(Self.number(bottom - top))\">"
      + "<title>\(HTML.escaped(text))</title></rect>\n\(label)"
  }

  private func extent(of event: TraceEvent) -> (Double, Double)? {
    guard let replica = event.replica else { return (Self.axisHeight, lanes.bottom) }
    let heights = [lanes.height(of: replica), lanes.height(of: event.peer)].compactMap { $0 }
    guard let one = heights.first, let other = heights.last else { return nil }
    let margin = min(lanes.spacing * 0.3, 12)
    return (min(one, other) - margin, max(one, other) + margin)
  }

  private enum Life {
    case up
    case down
    case paused
    case away
  }

  /// A line for each replica: whole while it runs, dotted while it is down or stopped,
  /// none while it is not there.
  var laneLines: String {
    let later = run.joiningLater
    var lives = run.replicas.indices.map { later.contains($0) ? Life.away : .up }
    var since = Array(repeating: 0 as UInt64, count: run.replicas.count)
    var lines: [Life: String] = [:]
    func draw(_ replica: Int, until time: UInt64) {
      guard let height = lanes.height(of: replica), time > since[replica] else { return }
      let from = (axis.place(of: since[replica]), height)
      let place = Self.number(axis.place(of: time))
      lines[lives[replica], default: ""] += "M\(Self.point(from))H\(place)"
    }
    for event in run.events {
      guard let replica = event.replica, lives.indices.contains(replica) else { continue }
      guard let life = Self.life(after: event.kind), life != lives[replica] else { continue }
      draw(replica, until: event.time)
      (lives[replica], since[replica]) = (life, event.time)
    }
    for replica in lanes.shown { draw(replica, until: run.end) }
    return "<path class=\"lane\" d=\"\(lines[.up] ?? "")\"/>"
      + "<path class=\"lane down\" d=\"\(lines[.down] ?? "")\"/>"
      + "<path class=\"lane paused\" d=\"\(lines[.paused] ?? "")\"/>\n"
  }

  private static func life(after kind: TraceEvent.Kind) -> Life? {
    switch kind {
    case .crash: .down
    case .pause: .paused
    case .leave: .away
    case .restart, .resume, .join: .up
    default: nil
    }
  }
}
