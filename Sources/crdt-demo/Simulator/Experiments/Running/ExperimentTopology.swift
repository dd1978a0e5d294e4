/// The neighbours of each node in an experiment.
struct ExperimentTopology: Equatable, Sendable {
  /// The neighbours of each node.
  var neighbours: [[Int]]

  /// How many nodes there are.
  var nodeCount: Int { neighbours.count }

  /// How many directed links an element crosses at least where each node sends what
  /// is new to all neighbours but the one it came from: the sum of degrees, less one
  /// for each node but the first.
  var crossings: Int { neighbours.reduce(0) { $0 + $1.count } - (nodeCount - 1) }

  /// The tree of 15 nodes of the ICDE'19 paper's measurements.
  static let tree = ExperimentTopology(links: [
    (0, 1), (0, 8), (0, 13), (1, 6), (6, 10), (6, 5), (5, 4), (5, 2), (10, 12), (10, 3), (8, 9),
    (8, 14), (13, 11), (13, 7),
  ])

  /// The mesh of 15 nodes of degree 4 of the ICDE'19 paper's measurements.
  static let mesh = ExperimentTopology(neighbours: [
    [14, 11, 4, 1], [2, 5, 0, 12], [1, 13, 6, 3], [7, 14, 2, 4], [8, 0, 5, 3], [9, 6, 1, 4],
    [5, 7, 10, 2], [3, 11, 6, 8], [4, 9, 12, 7], [5, 8, 10, 13], [11, 6, 9, 14], [10, 7, 0, 12],
    [13, 11, 1, 8], [12, 2, 9, 14], [0, 3, 13, 10],
  ])

  /// A mesh of degree 4: a ring whose nodes also have those four places on as
  /// neighbours, which is how the paper's meshes are made in the main.
  ///
  /// - Precondition: There are at least nine nodes.
  static func mesh(nodeCount: Int) -> ExperimentTopology {
    precondition(nodeCount > 8, "\(nodeCount) nodes can't have four neighbours each so")
    return ExperimentTopology(
      neighbours: (0..<nodeCount).map { node in
        [1, 4, nodeCount - 4, nodeCount - 1].map { (node + $0) % nodeCount }
      })
  }

  private init(neighbours: [[Int]]) {
    self.neighbours = neighbours
  }

  /// Creates a topology from links between the nodes that they name.
  init(links: [(Int, Int)]) {
    let nodeCount = links.reduce(0) { max($0, $1.0 + 1, $1.1 + 1) }
    neighbours = Array(repeating: [], count: nodeCount)
    for (one, other) in links {
      neighbours[one].append(other)
      neighbours[other].append(one)
    }
  }
}
