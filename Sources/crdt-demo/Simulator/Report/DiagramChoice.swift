import Toolkit

/// The selection of events that a diagram draws.
struct DiagramChoice {
  /// How many of a class of events are drawn.
  struct Part: Equatable {
    var name: String
    var drawn: Int
    var all: Int
  }

  /// The messages drawn, in the order of their sends.
  private(set) var messages: [MessageTrack] = []
  /// The places of other events that are drawn as points.
  private(set) var points: [Int] = []
  /// The places of events that are drawn on top of all others.
  private(set) var rare: [Int] = []
  private(set) var parts: [Part] = []

  /// How many marks that makes.
  var count: Int { messages.count + points.count + rare.count }

  init(run: TraceRun, lanes: DiagramLanes) {
    let events = run.events
    let groups = Groups(events: events, lanes: lanes)
    var room = SpaceTimeDiagram.marksMax
    func take<Element>(_ name: String, _ all: [Element], of count: Int, max: Int) -> [Element] {
      let taken = EvenSample.elements(of: all, max: min(max, room))
      room -= taken.count
      if count > 0 { parts.append(Part(name: name, drawn: taken.count, all: count)) }
      return taken
    }
    let third = SpaceTimeDiagram.rareMax
    rare = take(
      "crashes, pauses, partitions and the like", groups.rare, of: groups.rareCount,
      max: third)
    let faulty = groups.tracks.filter(\.isFaulty)
    let plain = groups.tracks.filter { !$0.isFaulty }
    let cuts = take("cuts", groups.cuts, of: run.counts[.cut] ?? 0, max: third / 2)
    let faults = take("messages with faults", faulty, of: groups.faultyCount, max: third)
    let half = Swift.max(room / 2, room - groups.edits.count - groups.learns.count)
    let sends = take("messages without faults", plain, of: groups.plainCount, max: half)
    let edits = take(
      "edits", groups.edits, of: run.counts[.edit] ?? 0,
      max: Swift.max(room / 2, room - groups.learns.count))
    let learns = take("merges", groups.learns, of: run.counts[.learn] ?? 0, max: room)
    rare = (rare + cuts).sorted()
    messages = (faults + sends).sorted { $0.send < $1.send }
    points = (edits + learns).sorted()
  }

  /// Events by how they are drawn.
  private struct Groups {
    var rare: [Int] = []
    /// How many of them there would be if all replicas had lanes.
    var rareCount = 0
    var cuts: [Int] = []
    var edits: [Int] = []
    var learns: [Int] = []
    var tracks: [MessageTrack] = []
    var faultyCount = 0
    var plainCount = 0

    init(events: [TraceEvent], lanes: DiagramLanes) {
      for (index, event) in events.enumerated() {
        let isShown = lanes.isShown(event.replica)
        switch event.kind {
        case .edit: if isShown { edits.append(index) }
        case .learn: if isShown { learns.append(index) }
        case .cut: if isShown || lanes.isShown(event.peer) { cuts.append(index) }
        case .crash, .restart, .pause, .resume, .join, .leave, .clock, .violation, .partition,
          .heal:
          rareCount += 1
          if isShown || event.replica == nil { rare.append(index) }
        case .lose, .duplicate, .corrupt, .receive:
          if event.message == nil, event.kind != .receive {
            rareCount += 1
            if isShown { rare.append(index) }
          }
        case .begin, .end, .send, .connect, .check: break
        }
      }
      for track in MessageTrack.all(in: events) {
        if track.isFaulty { faultyCount += 1 } else { plainCount += 1 }
        let send = events[track.send]
        if lanes.isShown(send.replica) || lanes.isShown(send.peer) { tracks.append(track) }
      }
    }
  }

  /// What was left out, in words; empty if nothing was.
  var omissions: String {
    let left = parts.filter { $0.drawn < $0.all }
    guard !left.isEmpty else { return "" }
    let whole = parts.filter { $0.drawn == $0.all }.map(\.name)
    let sampled = left.map { "\($0.drawn.grouped) of \($0.all.grouped) \($0.name)" }
    let rest = whole.isEmpty ? "" : " All \(whole.joined(separator: ", all ")) are there."
    return "So that it stays readable, only \(sampled.joined(separator: ", ")) are drawn, "
      + "evenly chosen.\(rest)"
  }
}

/// A message's way: where in the trace it was sent, came, and what befell it.
struct MessageTrack {
  /// The place of the event by which it was sent.
  var send: Int
  /// The places of those by which it came.
  var arrivals: [Int] = []
  /// The place of the event by which it was lost.
  var loss: Int?
  var isDamaged = false
  var isDuplicated = false

  /// Whether something went wrong with it.
  var isFaulty: Bool { loss != nil || isDamaged || isDuplicated }

  /// How many times one message may come.
  private static let arrivalsMax = 4

  /// The ways of all messages that have a number, in the order of their sends.
  static func all(in events: [TraceEvent]) -> [MessageTrack] {
    var tracks: [MessageTrack] = []
    var places: [Int: Int] = [:]
    for (index, event) in events.enumerated() {
      guard let message = event.message else { continue }
      if event.kind == .send {
        places[message] = tracks.count
        tracks.append(MessageTrack(send: index))
      } else if let place = places[message] {
        tracks[place].take(event.kind, at: index)
      }
    }
    return tracks
  }

  private mutating func take(_ kind: TraceEvent.Kind, at index: Int) {
    switch kind {
    case .receive: if arrivals.count < Self.arrivalsMax { arrivals.append(index) }
    case .lose: loss = loss ?? index
    case .corrupt: isDamaged = true
    case .duplicate: isDuplicated = true
    default: break
    }
  }
}
