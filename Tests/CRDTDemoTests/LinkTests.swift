import Testing

@testable import crdt_demo

@Suite("Links between replicas")
struct LinkTests {
  /// A message as one of the two ends gets it.
  private struct Told: Equatable {
    var target: Int
    var message: LinkMessage

    init(_ target: Int, of connection: Int, _ content: LinkMessage.Content) {
      self.target = target
      message = LinkMessage(peer: 5 - target, connection: connection, content: content)
    }

    init(_ target: Int, _ message: LinkMessage) {
      self.target = target
      self.message = message
    }
  }

  /// A link between the replicas in the places 2 and 3.
  private func link(_ faults: LinkFaults = .none) -> Link {
    var options = SimulationOptions()
    (options.seed, options.faults) = (7, faults)
    return Link(between: 2, and: 3, options: options)
  }

  private func arrivals(of link: inout Link, at now: Int) -> [Told] {
    var told: [Told] = []
    link.arrivals(at: now) { told.append(Told($0, $1)) }
    return told
  }

  private func send(
    _ content: LinkMessage.Content, of connection: Int, from source: Int, at now: Int,
    over link: inout Link
  ) {
    let message = LinkMessage(peer: 5 - source, connection: connection, content: content)
    link.send(message, from: source, at: now, step: 1)
  }

  private func bytes(to target: Int, in told: [Told]) -> [UInt8] {
    told.flatMap { told in
      guard told.target == target, case .bytes(let bytes) = told.message.content else {
        return [] as [UInt8]
      }
      return bytes
    }
  }

  @Test("open for both, bring all bytes in order, and are quiet then")
  func connection() {
    var link = link()
    #expect(!link.isQuiet)
    #expect(arrivals(of: &link, at: 0) == [Told(2, of: 1, .opened), Told(3, of: 1, .opened)])
    #expect(link.isQuiet && link.nextArrival == nil)
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
    send(.bytes(bytes), of: 1, from: 2, at: 1, over: &link)
    #expect(!link.isQuiet && link.nextArrival == 1)
    #expect(arrivals(of: &link, at: 0) == [])
    #expect(self.bytes(to: 3, in: arrivals(of: &link, at: 1)) == bytes)
    #expect(link.isQuiet)
  }

  @Test("tell the other end when one closes, behind its last bytes, and open anew")
  func closing() {
    var link = link()
    _ = arrivals(of: &link, at: 0)
    send(.bytes([1]), of: 1, from: 2, at: 1, over: &link)
    send(.ended, of: 1, from: 2, at: 1, over: &link)
    send(.bytes([2]), of: 1, from: 3, at: 1, over: &link)
    let told = arrivals(of: &link, at: 1)
    #expect(told == [Told(3, of: 1, .bytes([1])), Told(3, of: 1, .ended)])
    send(.bytes([3]), of: 1, from: 3, at: 2, over: &link)
    #expect(link.nextArrival == 2)
    #expect(arrivals(of: &link, at: 2) == [Told(2, of: 2, .opened), Told(3, of: 2, .opened)])
    // What was said of the old connection comes too late.
    send(.bytes([4]), of: 1, from: 3, at: 3, over: &link)
    send(.ended, of: 1, from: 3, at: 3, over: &link)
    #expect(link.isQuiet && link.connection == 2)
  }

  @Test("break when they are cut: all under way is lost, both ends are told")
  func cut() {
    var link = link(LinkFaults(loss: 0, duplicate: 0, reorder: 0, corrupt: 0, cut: 0.02))
    _ = arrivals(of: &link, at: 0)
    var sent = 0
    while link.counts.cuts == 0 {
      send(.bytes(Array(repeating: 1, count: 3_000)), of: 1, from: 2, at: 1, over: &link)
      send(.bytes([2]), of: 1, from: 3, at: 1, over: &link)
      sent += 1
    }
    #expect(sent > 1)
    send(.bytes([2]), of: 1, from: 3, at: 1, over: &link)
    #expect(arrivals(of: &link, at: 1) == [Told(2, of: 1, .ended), Told(3, of: 1, .ended)])
    #expect(!link.isQuiet)
    #expect(arrivals(of: &link, at: 2) == [Told(2, of: 2, .opened), Told(3, of: 2, .opened)])
  }

  @Test("bring late bytes late, and not into the next connection")
  func lateness() {
    var link = link(LinkFaults(loss: 0, duplicate: 0, reorder: 1, corrupt: 0, cut: 0))
    _ = arrivals(of: &link, at: 0)
    send(.bytes([1]), of: 1, from: 2, at: 1, over: &link)
    #expect(arrivals(of: &link, at: 1) == [])
    let late = (2...4).flatMap { arrivals(of: &link, at: $0) }
    #expect(late == [Told(3, of: 1, .bytes([1]))])
    send(.bytes([2]), of: 1, from: 2, at: 5, over: &link)
    send(.ended, of: 1, from: 2, at: 5, over: &link)
    let after = (5...20).flatMap { arrivals(of: &link, at: $0) }
    #expect(
      after == [Told(3, of: 1, .ended), Told(2, of: 2, .opened), Told(3, of: 2, .opened)])
  }

  @Test("have no connection while anything keeps them from it, and another then")
  func blocks() {
    var link = link()
    _ = arrivals(of: &link, at: 0)
    send(.bytes([1]), of: 1, from: 2, at: 1, over: &link)
    link.block(at: 1, why: "one reason")
    link.block(at: 1, why: "another")
    #expect(arrivals(of: &link, at: 1) == [Told(2, of: 1, .ended), Told(3, of: 1, .ended)])
    #expect(link.isQuiet && link.nextArrival == nil)
    link.unblock(at: 3)
    #expect((2...9).flatMap { arrivals(of: &link, at: $0) } == [])
    link.abort(at: 9)
    link.heal(at: 9)
    #expect(
      (9...12).flatMap { arrivals(of: &link, at: $0) }.allSatisfy { $0.message.content == .ended })
    link.unblock(at: 13)
    #expect(!link.isQuiet && link.nextArrival == 13)
    #expect(arrivals(of: &link, at: 13) == [Told(2, of: 2, .opened), Told(3, of: 2, .opened)])
  }

  @Test("of those in different groups have no connection while the network is parted")
  func partition() throws {
    var options = SimulationOptions()
    (options.faults, options.replicas, options.topology) = (.none, 5, .ring)
    var network = Network(options: options)
    _ = network.arrivals(at: 0)
    network.part([[0, 1], [2]], at: 1)
    #expect(network.arrivals(at: 1).map(\.count) == [1, 1, 2, 1, 1])
    // Places 3 and 4 are in no group, and so in one.
    #expect(network.isQuiet && network.connections == 5)
    network.part([[4]], at: 2)
    #expect(network.arrivals(at: 2).map(\.count) == [0, 0, 0, 1, 1])
    network.reunite([[0, 1], [2]], at: 3)
    #expect(network.arrivals(at: 3).map(\.count) == [0, 1, 2, 1, 0])
    network.reunite([[4]], at: 4)
    #expect(network.arrivals(at: 4).map(\.count) == [1, 0, 0, 1, 2])
  }

  @Test("begin anew when they heal, whatever state they are in")
  func healing() {
    for isOpen in [false, true] {
      for isCut in [false, true] {
        var link = link(
          LinkFaults(loss: 0, duplicate: 0, reorder: 1, corrupt: 1, cut: isCut ? 1 : 0))
        if isOpen { _ = arrivals(of: &link, at: 0) }
        send(.bytes([1]), of: 1, from: 2, at: 1, over: &link)
        link.heal(at: 1)
        #expect(!link.isQuiet)
        let connection = isOpen ? 2 : 1
        let endings = isOpen ? [Told(2, of: 1, .ended), Told(3, of: 1, .ended)] : []
        let openings = [2, 3].map { Told($0, of: connection, .opened) }
        #expect(arrivals(of: &link, at: 1) == endings + openings)
        send(.bytes([2]), of: connection, from: 2, at: 2, over: &link)
        #expect(arrivals(of: &link, at: 2) == [Told(3, of: connection, .bytes([2]))])
        #expect(link.isQuiet)
      }
    }
  }

  @Test("are those of the topology, each in its place, and no others")
  func network() throws {
    var options = SimulationOptions()
    options.faults = .none
    options.replicas = 3
    options.topology = .line
    var network = Network(options: options)
    let opened = network.arrivals(at: 0)
    let expected = [[1], [0, 2], [1]].map { peers in
      peers.map { LinkMessage(peer: $0, connection: 1, content: .opened) }
    }
    #expect(opened == expected)
    #expect(network.connections == 2)
    let message = LinkMessage(peer: 2, connection: 1, content: .bytes([1]))
    try network.send([message], from: 1, at: 1)
    #expect(network.arrivals(at: 1)[2].map(\.content) == [.bytes([1])])
    #expect(throws: Trouble.self) { try network.send([message], from: 0, at: 1) }
  }
}
