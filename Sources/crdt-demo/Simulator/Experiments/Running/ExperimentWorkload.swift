import CRDTStoreTesting

/// The workload of the nodes of an experiment.
struct ExperimentWorkload: Equatable, Sendable {
  /// The kind of state, and of update.
  enum Kind: Equatable, Sendable {
    /// Each update adds an element that no other adds.
    case set
    /// Each update adds one.
    case counter
    /// Each update gives a share of the node's own keys, in percent, a new time.
    case map(percent: Int)
  }

  var kind: Kind
  var nodeCount: Int
  var updatesPerNode = 100

  static let keyCount = 1_000

  /// The update that a node makes at a second, from 1.
  func update(
    by node: Int, at second: Int, using random: inout SeededGenerator
  ) -> ExperimentUpdate {
    switch kind {
    case .set: return .insert(node * updatesPerNode + second - 1)
    case .counter: return .increment
    case .map(let percent):
      let blockSize = Self.keyCount / nodeCount + 1
      var keys = Array(
        min(node * blockSize, Self.keyCount)..<min((node + 1) * blockSize, Self.keyCount))
      let count = min(blockSize * percent / 100 + 1, keys.count)
      for place in 0..<count {
        keys.swapAt(place, place + random.below(keys.count - place))
      }
      return .stamp(keys: Array(keys[..<count]), time: Self.time(ofSecond: second))
    }
  }

  /// The clock's microseconds: all that is stamped in a second has one time.
  private static func time(ofSecond second: Int) -> UInt64 {
    1_548_000_000_000_000 + UInt64(second) * 1_000_000
  }

  /// What an update adds to what is read in the end.
  func apply(
    _ update: ExperimentUpdate, by node: Int, to reading: inout [UInt64: UInt64]
  ) {
    switch update {
    case .insert(let number): reading[UInt64(number)] = 1
    case .increment: reading[UInt64(node), default: 0] += 1
    case .stamp(let keys, let time):
      for key in keys { reading[UInt64(key)] = max(reading[UInt64(key)] ?? 0, time) }
    }
  }
}

/// The neighbours of each node in an experiment.
struct ExperimentTopology: Equatable, Sendable {
  /// The neighbours of each node.
  var neighbours: [[Int]]

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
