/// A link between two replicas: one connection at a time, with a stream of bytes
/// each way.
///
/// When a connection breaks or is closed, what is under way is lost, both ends
/// are told, and a step later they are given another.
struct Link {
  /// Something on its way to one of the ends.
  struct Flight {
    var end: Int
    var content: LinkMessage.Content
    /// Its number in the trace, if it has one.
    var number: Int?
  }

  /// The places of the two replicas.
  let ends: [Int]
  /// The streams by the end that writes to them.
  private(set) var streams: [FaultyStream]
  /// How long what is written takes, by the end that writes.
  private var paces: [LinkPace]
  /// How many connections there have been.
  private(set) var connection = 0
  private(set) var isUp = false
  /// Whether nothing goes wrong any more.
  private var isHealed = false
  /// How many things keep it from having a connection.
  private var blocks = 0
  /// When there will be a connection, if there is none.
  private var opening = 0
  /// What is under way, by its time of arrival, in the order it was sent.
  private(set) var flights: [Int: [Flight]] = [:]
  let recorder: TraceRecorder?

  init(
    between one: Int, and other: Int, options: SimulationOptions, recorder: TraceRecorder? = nil
  ) {
    ends = [one, other]
    self.recorder = recorder
    let ways = [(one, other), (other, one)]
    streams = ways.map { source, target in
      FaultyStream(seed: options.seed, from: source, to: target, faults: options.faults)
    }
    paces = ways.map { LinkPace(options: options, from: $0, to: $1) }
  }

  /// Whether there is a connection if there can be, and nothing under way.
  var isQuiet: Bool { (isUp || blocks > 0) && flights.isEmpty }

  /// When something happens next; `nil` if nothing does.
  var nextArrival: Int? { flights.keys.min() ?? (isUp || blocks > 0 ? nil : opening) }

  /// What both streams together have done.
  var counts: FaultyStream.Counts { streams[0].counts + streams[1].counts }

  /// How many bytes one of the two has sent.
  func bytesSent(by replica: Int) -> Int { streams[end(of: replica)].counts.bytes }

  /// Takes what a replica says of its stream: bytes arrive so many steps later as
  /// they are late.
  ///
  /// What it says of an earlier connection is passed over.
  mutating func send(_ message: LinkMessage, from source: Int, at now: Int, step: Int) {
    guard isUp, message.connection == connection else { return }
    let end = end(of: source)
    switch message.content {
    case .opened: break
    case .bytes(let bytes): write(bytes, at: end, now: now, step: step)
    case .ended:
      let time = max(now, paces[end].arrivesAt)
      flights[time, default: []].append(Flight(end: 1 - end, content: .ended))
    }
  }

  private func end(of replica: Int) -> Int { replica == ends[0] ? 0 : 1 }

  private mutating func write(_ bytes: [UInt8], at end: Int, now: Int, step: Int) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let before = streams[end].counts
      let passage = streams[end].pass(&rest)
      let number = record(passage, at: end, since: before)
      switch passage {
      case .cut: return breakOff(at: now, opening: now + 1, why: "the link broke")
      case .arrivals(let arrivals):
        let chunk = streams[end].counts.bytes - before.bytes
        let time = isHealed ? now : paces[end].arrival(of: chunk, at: now)
        for arrival in arrivals {
          let flight = Flight(end: 1 - end, content: .bytes(arrival.bytes), number: number)
          flights[time + arrival.delay * step, default: []].append(flight)
        }
      }
    }
  }

  /// Loses what is under way, and tells both ends.
  private mutating func breakOff(at now: Int, opening: Int, why: String) {
    recordBreak(why: why)
    let endings = ends.indices.map { Flight(end: $0, content: .ended) }
    flights = connection > 0 ? [now: endings] : [:]
    isUp = false
    self.opening = opening
  }

  /// One of the ends has gone: what is under way is lost, and both are given another
  /// connection.
  mutating func abort(at now: Int) {
    breakOff(at: now, opening: now + 1, why: "an end is gone")
  }

  /// From now on, one thing more keeps it from having a connection.
  mutating func block(at now: Int, why: String) {
    blocks += 1
    if isUp { breakOff(at: now, opening: now + 1, why: why) }
  }

  /// One thing less does; without any, there is a connection again.
  mutating func unblock(at now: Int) {
    blocks -= 1
    if blocks == 0 { opening = max(opening, now) }
  }

  /// Begins anew: from now on, all bytes arrive once, whole, in order and at once.
  mutating func heal(at now: Int) {
    isHealed = true
    for end in streams.indices { streams[end].heal() }
    breakOff(at: now, opening: now, why: "the link begins anew")
  }

  /// Gives each end what has arrived for it.
  mutating func arrivals(
    at now: Int, deliver: (_ target: Int, LinkMessage) -> Void
  ) {
    for time in flights.keys.filter({ $0 <= now }).sorted() {
      for flight in flights.removeValue(forKey: time) ?? [] {
        recordArrival(flight)
        deliver(ends[flight.end], message(flight.content, to: flight.end))
        if flight.content == .ended, isUp { return close(at: now) }
      }
    }
    if !isUp, blocks == 0, flights.isEmpty, opening <= now { open(deliver) }
  }

  /// Both ends know by now, or have closed it themselves.
  private mutating func close(at now: Int) {
    recordBreak(why: "an end closed it")
    flights = [:]
    isUp = false
    opening = now + 1
  }

  private mutating func open(_ deliver: (_ target: Int, LinkMessage) -> Void) {
    connection += 1
    isUp = true
    for end in paces.indices { paces[end].begin() }
    recorder?.record(.connect, ends[0], peer: ends[1])
    for end in ends.indices { deliver(ends[end], message(.opened, to: end)) }
  }

  private func message(_ content: LinkMessage.Content, to end: Int) -> LinkMessage {
    LinkMessage(peer: ends[1 - end], connection: connection, content: content)
  }

  /// Counts bytes as lost that could not be handed over to a replica.
  mutating func drop(to target: Int) {
    streams[1 - end(of: target)].drop()
  }
}
