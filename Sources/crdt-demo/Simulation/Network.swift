/// The faulty links between the replicas, and the packets on them.
///
/// All packets pass through the coordinator, which draws each link's faults from
/// a seed of its own: so what is lost depends on nothing but the seed and the
/// packets themselves.
struct Network {
  private struct Flight {
    var target: Int
    var packet: Packet
  }

  private var links: [[Int: FaultyLink]]
  /// The packets under way, by their time of arrival, in the order they were sent.
  private var flights: [Int: [Flight]] = [:]

  init(options: SimulationOptions) {
    links = (0..<options.replicas).map { source in
      let neighbours = options.topology.neighbours(of: source, among: options.replicas)
      let pairs = neighbours.map { target in
        let link = FaultyLink(
          seed: options.seed, from: source, to: target, faults: options.faults)
        return (target, link)
      }
      return Dictionary(uniqueKeysWithValues: pairs)
    }
  }

  /// Whether no packet is under way.
  var isQuiet: Bool { flights.isEmpty }

  /// When the next packet arrives.
  var nextArrival: Int? { flights.keys.min() }

  /// From now on, every packet arrives once and in order.
  mutating func heal() {
    for source in links.indices {
      for target in links[source].keys { links[source][target]?.heal() }
    }
  }

  /// Puts packets on the links: each copy arrives so many steps later.
  mutating func send(
    _ packets: [Packet], from source: Int, at now: Int, step: Int = 1
  ) throws(Trouble) {
    for packet in packets {
      guard let delays = links[source][packet.peer]?.send() else {
        throw Trouble("replica \(source + 1) sent a packet where it has no link")
      }
      for delay in delays {
        let arrived = Packet(peer: source, bytes: packet.bytes)
        flights[now + delay * step, default: []].append(
          Flight(target: packet.peer, packet: arrived))
      }
    }
  }

  /// Takes off the links what has arrived, for each replica in order.
  mutating func arrivals(at now: Int) -> [[Packet]] {
    var arrived: [[Packet]] = Array(repeating: [], count: links.count)
    for time in flights.keys.filter({ $0 <= now }).sorted() {
      for flight in flights.removeValue(forKey: time) ?? [] {
        arrived[flight.target].append(flight.packet)
      }
    }
    return arrived
  }

  /// Counts packets to a replica as lost that could not be handed over.
  mutating func drop(_ packets: [Packet], to target: Int) {
    for packet in packets { links[packet.peer][target]?.drop() }
  }

  /// What all links together have done.
  var counts: FaultyLink.Counts {
    links.flatMap(\.values).map(\.counts).reduce(FaultyLink.Counts(), +)
  }
}
