/// Whether nodes tell what all have seen, so that it can be forgotten.
struct ScuttlebuttSettings: Equatable, Sendable {
  var collectsGarbage: Bool
}

/// What a node's update added, under the number of that update.
struct VersionedDelta<Content: Lattice>: Sendable {
  var node: Int
  var version: Int
  var content: Content
}

/// Tells each neighbour which versions it has seen, and is sent the deltas that it
/// lacks.
///
/// Van Renesse, Dumitriu, Gough, Thomas, "Efficient Reconciliation and Flow Control
/// for Anti-Entropy Protocols", 2008, with deltas in the place of values. To forget
/// what all nodes have seen, each tells what it knows of every node's versions, not
/// only of its own.
struct ScuttlebuttSynchronizer<Content: Lattice>: Synchronizer {
  typealias Message = ExperimentMessage<Content>

  private let node: Int
  private let neighbours: [Int]
  private let settings: ScuttlebuttSettings
  private(set) var state = Content()
  /// For each node, what it is known to have seen of every node.
  private var seen: [[Int]]
  /// By node: the deltas that are kept, and the version of the first.
  private var deltas: [(first: Int, contents: [Content])]

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: ScuttlebuttSettings) {
    self.node = node
    self.neighbours = neighbours
    self.settings = settings
    seen = Array(repeating: Array(repeating: 0, count: nodeCount), count: nodeCount)
    deltas = Array(repeating: (first: 1, contents: []), count: nodeCount)
  }

  mutating func update(_ update: ExperimentUpdate) {
    let delta = state.delta(of: update, by: node)
    guard !delta.isBottom else { return }
    state.join(delta)
    deltas[node].contents.append(delta)
    seen[node][node] += 1
  }

  func synchronize(_ box: inout MessageBox<Message>) {
    for neighbour in neighbours {
      box.send(
        settings.collectsGarbage ? .matrix(seen) : .digest(seen[node]), to: neighbour)
    }
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    switch message {
    case .digest(let versions): answer(versions, of: node, &box)
    case .matrix(let rows):
      learn(rows)
      answer(rows[node], of: node, &box)
    case .versions(let news):
      for delta in news { take(delta) }
    default: break
    }
  }

  private func answer(_ versions: [Int], of node: Int, _ box: inout MessageBox<Message>) {
    var missing: [VersionedDelta<Content>] = []
    for (source, kept) in deltas.enumerated() {
      let first = max(versions[source] + 1, kept.first)
      for version in first..<max(first, kept.first + kept.contents.count) {
        missing.append(
          VersionedDelta(
            node: source, version: version, content: kept.contents[version - kept.first]))
      }
    }
    if !missing.isEmpty { box.send(.versions(missing), to: node) }
  }

  private mutating func take(_ delta: VersionedDelta<Content>) {
    guard delta.version == seen[node][delta.node] + 1 else { return }
    seen[node][delta.node] = delta.version
    deltas[delta.node].contents.append(delta.content)
    state.join(delta.content)
  }

  /// Takes over what is known of others, and forgets deltas that all have seen.
  private mutating func learn(_ rows: [[Int]]) {
    for (other, row) in rows.enumerated() where other != node {
      for (source, version) in row.enumerated() where version > seen[other][source] {
        seen[other][source] = version
      }
    }
    for source in deltas.indices {
      let stable = seen.lazy.map { $0[source] }.min() ?? 0
      let count = min(stable + 1 - deltas[source].first, deltas[source].contents.count)
      guard count > 0 else { continue }
      deltas[source].contents.removeFirst(count)
      deltas[source].first += count
    }
  }

  var reading: [UInt64: UInt64] { state.reading }

  var held: Int {
    let versions = settings.collectsGarbage ? seen.count * (seen.count + 1) : seen.count
    return deltas.reduce(state.elementCount + versions) { total, kept in
      kept.contents.reduce(total) { $0 + $1.elementCount + 1 }
    }
  }
}
