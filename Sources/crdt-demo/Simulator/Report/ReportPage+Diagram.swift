import Toolkit

extension ReportPage {
  /// The diagram, with what its marks mean.
  var diagramSection: String {
    guard !run.replicas.isEmpty else { return "" }
    let lanes = diagram.lanes
    let others =
      lanes.others == 0
      ? ""
      : "\(lanes.shown.count.grouped) of \(run.replicas.count.grouped) replicas are shown, those "
        + "that something befell before others; of a message to or from another one there is "
        + "a short arrow."
    let omitted =
      run.omitted == 0 ? "" : "\(run.omitted.counted("event")) of the run were not kept at all."
    let notes = [others, diagram.choice.omissions, omitted].filter { !$0.isEmpty }
    let note = notes.isEmpty ? "" : "<p class=\"note\">\(notes.joined(separator: " "))</p>\n"
    return """
      <section class="card"><h2>Space and time</h2>
      <p>Each line is a replica, and time goes to the right. \
      <span class="scripted" hidden>Point at a mark, tap it, or step with the arrow keys to see \
      what it is; click anywhere to move the slider there.</span></p>
      \(diagram.html)\(legend)\(note)</section>

      """
  }

  private var legend: String {
    let items = Self.legendItems.filter { item in
      item.kinds.contains { run.counts[$0, default: 0] > 0 }
    }.map { item in
      "<li><svg width=\"26\" height=\"16\" aria-hidden=\"true\">\(item.drawing)</svg>\(item.name)</li>"
    }
    return "<ul class=\"legend\">\(items.joined())</ul>\n"
  }

  private struct LegendItem {
    var kinds: [TraceEvent.Kind]
    var name: String
    var drawing: String

    init(_ kinds: [TraceEvent.Kind], _ name: String, _ style: String, _ shape: String) {
      self.kinds = kinds
      self.name = name
      drawing = "<path class=\"mark \(style)\" d=\"\(shape)\"/>"
    }
  }

  private static let ring = "M8 8a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"

  private static let legendItems = [
    LegendItem([.edit], "edit", "edit", "M13 1V15"),
    LegendItem([.send], "message", "sent", "M2 13L24 3M18 3L24 3L20.500 7.500"),
    LegendItem(
      [.learn], "merge of something new", "learn",
      "M9.800 8a3.200 3.200 0 1 0 6.400 0a3.200 3.200 0 1 0 -6.400 0"),
    LegendItem([.lose], "lost", "lost", "M2 14L14 6M10 2L18 10M10 10L18 2"),
    LegendItem([.duplicate], "came again", "twice", "M2 13L24 3M18 3L24 3L20.500 7.500"),
    LegendItem([.corrupt], "damaged", "bad", "M2 13L24 3M18 3L24 3L20.500 7.500"),
    LegendItem([.cut], "link cut", "cut", "M13 1l4 4l-4 4l-4 -4zM13 9V15"),
    LegendItem([.partition], "partition", "part", "M2 2h22v12h-22z"),
    LegendItem([.crash], "crash", "crash", "M8 3h10v10h-10z"),
    LegendItem([.pause], "stopped", "pause", "M11 2v12m4 -12v12"),
    LegendItem([.restart, .resume], "goes on", "again", "M9 2v12l12 -6z"),
    LegendItem([.join], "joins", "join", ring),
    LegendItem([.leave], "leaves", "leave", ring),
    LegendItem([.clock], "clock jumps", "clock", "M13 2l6 6l-6 6l-6 -6z"),
    LegendItem([.heal], "network heals", "heal", "M13 0V16"),
    LegendItem([.violation], "a law is broken", "broken", ring),
  ]

  /// What each replica holds: in the end, and with a script at any time.
  var stateSection: String {
    guard run.replicas.contains(where: { $0.value != nil || $0.digest != nil }) else { return "" }
    let common = run.commonDigest
    let cells = diagram.lanes.shown.map { state($0, common: common) }.joined()
    let others = diagram.lanes.others
    let sampled =
      frames.frames.count < frames.momentsCount
      ? " The slider has \(frames.frames.count.grouped) of \(frames.momentsCount.grouped) moments."
      : ""
    let left =
      others == 0
      ? "" : "<p class=\"note\">\(others.counted("other")) are not shown.\(sampled)</p>\n"
    return """
      <section class="card\(diagram.lanes.shown.count <= 24 ? " whole" : "")" id="states"><h2>What each replica holds</h2>
      <div class="slider scripted" hidden>
      <button type="button" id="back" aria-label="One step back">‹</button>
      <input type="range" id="slider" min="0" max="\(max(frames.frames.count - 1, 0))" \
      value="\(max(frames.frames.count - 1, 0))" step="1" aria-label="Time">
      <button type="button" id="forth" aria-label="One step forth">›</button>
      <button type="button" id="play">Play</button>
      </div>
      <p class="moment" id="moment" aria-live="polite">In the end, after \
      \(TraceTime.text(run.end)).</p>
      \(authorLegend)<div class="states\(hasTexts ? " texts" : "")">
      \(cells)</div>
      \(left)\(others == 0 && !sampled.isEmpty ? "<p class=\"note\">\(sampled)</p>\n" : "")</section>

      """
  }

  private func state(_ index: Int, common: String?) -> String {
    let replica = run.replicas[index]
    let agrees = replica.digest == common && common != nil
    let text = ShownText(replica.value ?? "", by: replica.authors)?.html
    let value = HTML.escaped(replica.value?.clipped(to: TimelineFrames.valueMax) ?? "")
    let style = !replica.isPresent ? "away" : agrees ? "agrees" : "differs"
    return "<article class=\"state \(style)\"><h3>replica \(index + 1)<span class=\"badge\">"
      + "\(!replica.isPresent ? "has left" : agrees ? "agrees" : "differs")</span></h3>"
      + "<code>\(HTML.escaped(replica.digest?.clipped(to: 32) ?? "–"))</code>"
      + "\(text ?? "<p>\(value)</p>")</article>\n"
  }

  private var hasTexts: Bool { run.replicas.contains { $0.authors != nil } }

  /// The colours of the authors of texts and lists.
  private var authorLegend: String {
    guard hasTexts else { return "" }
    let items = diagram.lanes.shown.prefix(ShownText.coloursMax).map { place in
      "<li><span class=\"\(ShownText.style(of: place))\">\(ShownText.name(of: place))</span></li>"
    }
    return """
      <p class="note">Parts of texts and elements of lists have the colours of the replicas \
      that inserted them.</p>
      <ul class="legend authors">\(items.joined())</ul>

      """
  }
}
