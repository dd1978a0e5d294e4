import CRDTStoreTesting

/// The nodes of an experiment, on links that lose nothing and take no time.
///
/// A message, its answers and theirs are taken in before anything else happens.
struct ExperimentNetwork<Node: ExperimentNode> {
  var nodes: [Node]
  /// Nodes in the order of their moments within a period, which are independent.
  private let order: [Int]
  private var box = MessageBox<Node.Message>()

  private typealias Batch = (source: Int, items: [MessageBox<Node.Message>.Item])

  init(_ topology: ExperimentTopology, seed: UInt64, settings: Node.Settings) {
    var phases = SeededGenerator(seed: seed, stream: 2)
    let moments = topology.neighbours.map { _ in phases.next() }
    order = moments.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
    nodes = topology.neighbours.enumerated().map { node, neighbours in
      Node(
        node: node, neighbours: neighbours, nodeCount: topology.nodeCount, settings: settings)
    }
  }

  /// Lets all nodes start, before any message arrives; shows every message.
  mutating func start(_ note: (Node.Message) -> Void) {
    var batches: [Batch] = []
    for node in nodes.indices {
      nodes[node].start(&box)
      batches.append((node, box.removeAll()))
    }
    deliver(batches, note)
  }

  /// Lets each node synchronize, and all that follows from it happen, one after
  /// another; shows every message.
  mutating func synchronize(_ note: (Node.Message) -> Void) {
    for node in order {
      nodes[node].synchronize(&box)
      deliver([(node, box.removeAll())], note)
    }
  }

  private mutating func deliver(_ sent: [Batch], _ note: (Node.Message) -> Void) {
    var batches = sent
    var place = 0
    while place < batches.count {
      let (source, items) = batches[place]
      batches[place].items = []
      for item in items {
        note(item.message)
        nodes[item.target].receive(item.message, from: source, &box)
        let answers = box.removeAll()
        if !answers.isEmpty { batches.append((item.target, answers)) }
      }
      place += 1
    }
  }
}

/// A node of an experiment, as far as messages go: a state machine that synchronizes
/// with its neighbours once in a while, and takes in what they send.
protocol ExperimentNode {
  associatedtype Message

  /// What is the same for all nodes of a run.
  associatedtype Settings

  /// Creates a node that has nothing.
  ///
  /// - Parameters:
  ///   - node: Its place among all nodes.
  ///   - neighbours: The places of those that it exchanges messages with.
  ///   - nodeCount: How many nodes there are.
  ///   - settings: What is the same for all nodes.
  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Settings)

  /// Begins to exchange messages, before anything is changed.
  mutating func start(_ box: inout MessageBox<Message>)

  /// Does what is due once a period, with every neighbour.
  mutating func synchronize(_ box: inout MessageBox<Message>)

  /// Takes in a message that a neighbour has sent.
  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>)
}

extension ExperimentNode {
  /// Has nothing to tell.
  mutating func start(_ box: inout MessageBox<Message>) {}
}
