import Toolkit

/// What the replicas were at some moments: what the page's slider steps through.
struct TimelineFrames {
  /// How many moments there are at most, and how many bytes all of it may take.
  private static let countMax = 300
  private static let bytesMax = 700_000
  /// How much of a value is kept, in characters.
  static let valueMax = 140

  /// The moments, each with what has changed since the one before.
  private(set) var frames: [JSONValue] = []
  private(set) var digests: [String] = []
  private(set) var values: [JSONValue] = []
  /// Between how many moments there was a choice.
  let momentsCount: Int
  private var digestPlaces: [String: Int] = [:]
  private var valuePlaces: [ValueKey: Int] = [:]
  private var size = 0

  /// A value, and who wrote it if it is a text.
  private struct ValueKey: Hashable {
    var value: String
    var authors: String?
  }

  /// A replica's state as the page has it.
  private struct State: Equatable {
    var digest = -1
    var value: ValueKey?
    var life = 0
  }

  init(run: TraceRun, lanes: DiagramLanes) {
    let moments = Self.moments(of: run)
    momentsCount = moments.count
    var count = Self.countMax
    repeat {
      (frames, digests, values, digestPlaces, valuePlaces, size) = ([], [], [], [:], [:], 0)
      build(run, lanes, Set(EvenSample.elements(of: moments, max: count)))
      count /= 2
    } while size > Self.bytesMax && count > 4
  }

  /// The times at which a replica's state changes.
  private static func moments(of run: TraceRun) -> [UInt64] {
    var moments: [UInt64] = [0]
    for event in run.events where isChange(event) && moments.last != event.time {
      moments.append(event.time)
    }
    if let last = moments.last, last < run.end { moments.append(run.end) }
    return moments
  }

  private static func isChange(_ event: TraceEvent) -> Bool {
    event.replica != nil
      && (event.digest != nil || event.value != nil || life(after: event.kind) != nil)
  }

  private static func life(after kind: TraceEvent.Kind) -> Int? {
    switch kind {
    case .restart, .resume, .join: 0
    case .crash: 1
    case .pause: 2
    case .leave: 3
    default: nil
    }
  }

  private mutating func build(_ run: TraceRun, _ lanes: DiagramLanes, _ moments: Set<UInt64>) {
    let later = run.joiningLater
    var groups = AgreementGroups(replicas: run.replicas.count, joiningLater: later)
    var states = run.replicas.indices.map { State(life: later.contains($0) ? 3 : 0) }
    var shown = states.map { _ in State(life: -1) }
    for (index, event) in run.events.enumerated() {
      groups.take(event)
      if let replica = event.replica, states.indices.contains(replica), lanes.isShown(replica) {
        if let digest = event.digest { states[replica].digest = place(ofDigest: digest) }
        if let value = event.value {
          states[replica].value = ValueKey(value: value, authors: event.authors)
        }
        if let life = Self.life(after: event.kind) { states[replica].life = life }
      }
      if index + 1 < run.events.count, run.events[index + 1].time == event.time { continue }
      guard moments.contains(event.time) else { continue }
      var changes: [JSONValue] = []
      for (lane, replica) in lanes.shown.enumerated() where states[replica] != shown[replica] {
        let state = states[replica]
        shown[replica] = state
        let value = state.value.map { place(of: $0) } ?? -1
        changes += [lane, state.digest, value, state.life].map(JSONValue.integer)
        size += 16
      }
      let common = groups.commonDigest
      size += 40
      frames.append(
        .array([
          .unsigned(event.time), .integer(common.isEmpty ? -1 : place(ofDigest: common)),
          .integer(groups.largest), .integer(groups.present), .array(changes),
        ]))
    }
  }

  private mutating func place(ofDigest digest: String) -> Int {
    if let place = digestPlaces[digest] { return place }
    digestPlaces[digest] = digests.count
    digests.append(digest.clipped(to: 32))
    size += min(digest.utf8.count, 128) + 3
    return digests.count - 1
  }

  private mutating func place(of key: ValueKey) -> Int {
    if let place = valuePlaces[key] { return place }
    valuePlaces[key] = values.count
    if let text = ShownText(key.value, by: key.authors) {
      values.append(text.json)
      size += text.size
    } else {
      values.append(.string(key.value.clipped(to: Self.valueMax)))
      size += min(key.value.utf8.count, 4 * Self.valueMax) + 3
    }
    return values.count - 1
  }
}
