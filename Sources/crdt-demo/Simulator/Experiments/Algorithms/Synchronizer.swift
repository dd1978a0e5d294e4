/// A node of a micro-benchmark: it makes updates, and what it holds can be read.
protocol Synchronizer: ExperimentNode {
  /// Makes an update.
  mutating func update(_ update: ExperimentUpdate)

  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost

  /// What the state says, as pairs of numbers, alike for all algorithms.
  var reading: [UInt64: UInt64] { get }

  /// What the node keeps at the moment: elements and metadata, as a message's cost
  /// counts them.
  var held: Int { get }
}

extension Synchronizer where Message: CountedMessage {
  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost {
    ExperimentCost(of: message, measuringBytes: measuringBytes)
  }
}

/// Messages that a node has to send, in order.
struct MessageBox<Message> {
  /// A message and its target node.
  struct Item {
    var target: Int
    var message: Message
  }

  private(set) var items: [Item] = []

  /// Adds a message to those to be sent.
  mutating func send(_ message: Message, to target: Int) {
    items.append(Item(target: target, message: message))
  }

  /// Takes out all that is to be sent.
  mutating func removeAll() -> [Item] {
    defer { items.removeAll(keepingCapacity: true) }
    return items
  }
}

/// Sends all that it has to every neighbour, each time.
struct StateSynchronizer<Content: Lattice>: Synchronizer {
  typealias Message = ExperimentMessage<Content>

  private let node: Int
  private let neighbours: [Int]
  private(set) var state = Content()

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Void) {
    self.node = node
    self.neighbours = neighbours
  }

  mutating func update(_ update: ExperimentUpdate) {
    state.join(state.delta(of: update, by: node))
  }

  func synchronize(_ box: inout MessageBox<Message>) {
    guard !state.isBottom else { return }
    for neighbour in neighbours { box.send(.state(state), to: neighbour) }
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    if case .state(let content) = message { state.join(content) }
  }

  var reading: [UInt64: UInt64] { state.reading }

  var held: Int { state.elementCount }
}
