import CRDTKit
import Testing

@testable import CRDTSimulator
@testable import crdt_demo

@Suite("A world's node that is a process")
struct ProcessNodeTests {
  private func world(_ conditions: LinkConditions = LinkConditions()) -> World<ProcessNode> {
    let neighbours = Topology.line.neighbours(among: 3)
    let nodes = neighbours.enumerated().map { place, others in
      ProcessNode(place: place, neighbours: others, seed: 5)
    }
    return World(nodes: nodes, neighbours: neighbours, conditions: conditions, seed: 5)
  }

  private func message(
    to peer: Int, of connection: Int, _ content: LinkMessage.Content
  ) -> LinkMessage {
    LinkMessage(peer: peer, connection: connection, content: content)
  }

  private func bytes(from peer: Int, in messages: [LinkMessage]) -> [UInt8] {
    messages.flatMap { message -> [UInt8] in
      guard message.peer == peer, case .bytes(let bytes) = message.content else { return [] }
      return bytes
    }
  }

  @Test("is told with its next order of connections and of the bytes that came, in order")
  func inbox() {
    var world = world()
    world.connectAll()
    #expect(
      world.nodes[1].takeInbox() == [
        message(to: 0, of: 1, .opened), message(to: 2, of: 1, .opened),
      ]
    )
    let sent = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
    world.call(0) { $0.send([message(to: 1, of: 1, .bytes(sent))], &$1) }
    world.run(until: 10_000)
    #expect(world.counts.sent > 4)
    let inbox = world.nodes[1].takeInbox()
    #expect(inbox.allSatisfy { $0.connection == 1 } && bytes(from: 0, in: inbox) == sent)
    #expect(world.nodes[1].takeInbox().isEmpty && world.nodes[2].takeInbox().count == 1)
  }

  @Test("loses what it says of a connection that is over, and is given another")
  func staleness() {
    var world = world()
    world.connectAll()
    for place in 0..<3 { _ = world.nodes[place].takeInbox() }
    world.call(0) { $0.send([message(to: 1, of: 1, .bytes([9]))], &$1) }
    world.run(until: 2_000)
    world.call(0) { $0.send([message(to: 1, of: 1, .ended)], &$1) }
    // What had come by it is lost, too.
    #expect(world.nodes[1].takeInbox() == [message(to: 0, of: 1, .ended)])
    world.call(1) { $0.send([message(to: 0, of: 1, .bytes([1]))], &$1) }
    world.run(until: 100_000)
    #expect(world.counts.sent == 1)
    #expect(world.nodes[1].takeInbox() == [message(to: 0, of: 2, .opened)])
    #expect(
      world.nodes[0].takeInbox() == [message(to: 1, of: 1, .ended), message(to: 1, of: 2, .opened)])
    world.call(1) { $0.send([message(to: 0, of: 2, .bytes([7]))], &$1) }
    world.run(until: 200_000)
    #expect(bytes(from: 1, in: world.nodes[0].takeInbox()) == [7])
  }

  @Test("hears nothing while it is down, of nobody's other links, and all anew when it is up")
  func crash() {
    var world = world()
    world.connectAll()
    for place in 0..<3 { _ = world.nodes[place].takeInbox() }
    world.call(1) { node, context in
      node.send([message(to: 0, of: 1, .bytes([1])), message(to: 2, of: 1, .bytes([2]))], &context)
    }
    world.nodes[0].crash(.crash, draw: 0)
    world.goDown(0, detail: "killed")
    world.run(until: 100_000)
    #expect(world.nodes[0].inbox.isEmpty)
    #expect(world.nodes[1].takeInbox() == [message(to: 0, of: 1, .ended)])
    #expect(bytes(from: 1, in: world.nodes[2].takeInbox()) == [2])
    world.perform(.restart(0))
    #expect(world.nodes[0].takeInbox() == [message(to: 1, of: 2, .opened)])
    #expect(world.nodes[1].takeInbox() == [message(to: 0, of: 2, .opened)])
    world.reconnectAll()
    #expect(world.nodes[2].takeInbox().map(\.content) == [.ended, .opened])
    #expect(world.counts.connections == 5)
  }
}
