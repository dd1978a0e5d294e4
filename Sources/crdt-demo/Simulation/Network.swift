/// The faulty links between the replicas, and all that is under way on them.
///
/// All bytes pass through the coordinator, which draws each stream's faults from
/// a seed of its own: so what is damaged depends on nothing but the seed and the
/// bytes themselves.
struct Network {
  private var links: [Link] = []
  /// The links of each replica by the neighbour they lead to.
  private var places: [[Int: Int]]
  private let recorder: TraceRecorder?

  init(options: SimulationOptions, recorder: TraceRecorder? = nil) {
    self.recorder = recorder
    places = Array(repeating: [:], count: options.replicas)
    for source in 0..<options.replicas {
      for target in options.topology.neighbours(of: source, among: options.replicas)
      where source < target {
        places[source][target] = links.count
        places[target][source] = links.count
        links.append(
          Link(between: source, and: target, options: options, recorder: recorder))
      }
    }
  }

  /// Whether all are connected that can be, and nothing is under way.
  var isQuiet: Bool { links.allSatisfy(\.isQuiet) }

  /// When something happens next; `nil` if nothing does.
  var nextArrival: Int? { links.compactMap(\.nextArrival).min() }

  /// All are connected anew, and from now on all bytes arrive.
  mutating func heal(at now: Int) {
    recorder?.record(.heal, detail: "all links are perfect from now on")
    for link in links.indices { links[link].heal(at: now) }
  }

  /// All links of a replica break, because it has gone.
  mutating func abort(linksOf replica: Int, at now: Int) {
    for link in places[replica].values.sorted() { links[link].abort(at: now) }
  }

  /// There are no connections with a replica, until its links are opened again.
  mutating func close(linksOf replica: Int, at now: Int) {
    for link in places[replica].values.sorted() { links[link].block(at: now, why: "an end left") }
  }

  /// A replica that was not there can be reached.
  mutating func open(linksOf replica: Int, at now: Int) {
    for link in places[replica].values.sorted() { links[link].unblock(at: now) }
  }

  /// There are no connections between different groups; who is in no group is in one
  /// with all others that aren't.
  mutating func part(_ groups: [[Int]], at now: Int) {
    for link in links.indices where parts(groups, links[link]) {
      links[link].block(at: now, why: "the network parted")
    }
  }

  /// Ends a partition into these groups.
  mutating func reunite(_ groups: [[Int]], at now: Int) {
    for link in links.indices where parts(groups, links[link]) { links[link].unblock(at: now) }
  }

  private func parts(_ groups: [[Int]], _ link: Link) -> Bool {
    let sides = link.ends.map { end in groups.firstIndex { $0.contains(end) } }
    return sides[0] != sides[1]
  }

  /// Takes what a replica says of its streams.
  mutating func send(
    _ messages: [LinkMessage], from source: Int, at now: Int, step: Int = 1
  ) throws(Trouble) {
    for message in messages {
      guard let link = places[source][message.peer] else {
        throw Trouble("replica \(source + 1) wrote to a stream where it has no link")
      }
      links[link].send(message, from: source, at: now, step: step)
    }
  }

  /// Takes off the links what has arrived, for each replica in order.
  mutating func arrivals(at now: Int) -> [[LinkMessage]] {
    var arrived: [[LinkMessage]] = Array(repeating: [], count: places.count)
    for link in links.indices {
      links[link].arrivals(at: now) { target, message in arrived[target].append(message) }
    }
    return arrived
  }

  /// Counts bytes to a replica as lost that could not be handed over.
  mutating func drop(_ message: LinkMessage, to target: Int) {
    guard let link = places[target][message.peer] else { return }
    links[link].drop(to: target)
    recorder?.record(.lose, message.peer, peer: target, detail: "the receiver is too slow")
  }

  /// How many bytes a replica has sent over its links.
  func bytesSent(by replica: Int) -> Int {
    places[replica].values.reduce(0) { $0 + links[$1].bytesSent(by: replica) }
  }

  /// What all links together have done.
  var counts: FaultyStream.Counts {
    links.map(\.counts).reduce(FaultyStream.Counts(), +)
  }

  /// How many connections there have been.
  var connections: Int { links.map(\.connection).reduce(0, +) }
}
