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
