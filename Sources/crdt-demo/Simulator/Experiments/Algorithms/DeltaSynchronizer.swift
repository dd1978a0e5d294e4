/// Which of the two improvements of delta propagation are used.
struct DeltaSettings: Equatable, Sendable {
  /// BP: a group of deltas isn't sent back to where it came from.
  var avoidsBackPropagation: Bool
  /// RR: of a group that was received, only what was new is kept and sent on.
  var removesRedundancy: Bool
}

/// Sends each neighbour the deltas that it has not acknowledged, joined into one.
///
/// Almeida, Shoker, Baquero, "Delta State Replicated Data Types", 2018, algorithm 2:
/// a buffer of deltas under sequence numbers; a neighbour acknowledges the number
/// that comes with a group; what all that have ever acknowledged have, leaves the
/// buffer; who lacks what has left it, is sent the whole state. The two improvements
/// are those of the ICDE'19 paper, algorithm 1.
struct DeltaSynchronizer<Content: Lattice>: Synchronizer {
  typealias Message = ExperimentMessage<Content>

  /// A delta, or a group of them, and who it came from.
  private struct Group {
    var origin: Int
    var content: Content
  }

  private let node: Int
  private let neighbours: [Int]
  private let settings: DeltaSettings
  private(set) var state = Content()
  private var buffer: [Group] = []
  /// The sequence number of the buffer's first group.
  private var bufferStart = 0
  /// By the neighbour's place in `neighbours`; `nil` before its first.
  private var acknowledged: [Int?]

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: DeltaSettings) {
    self.node = node
    self.neighbours = neighbours
    self.settings = settings
    acknowledged = Array(repeating: nil, count: neighbours.count)
  }

  /// The sequence number of the next group.
  private var nextSequence: Int { bufferStart + buffer.count }

  mutating func update(_ update: ExperimentUpdate) {
    add(state.delta(of: update, by: node))
  }

  /// Adds what is new here.
  mutating func add(_ delta: Content) {
    guard !delta.isBottom else { return }
    state.join(delta)
    buffer.append(Group(origin: node, content: delta))
  }

  /// Whether a neighbour may lack something.
  var hasNews: Bool { acknowledged.contains { ($0 ?? 0) < nextSequence } }

  func synchronize(_ box: inout MessageBox<Message>) {
    // Without BP, all who have acknowledged the same are sent the same.
    var common: (first: Int, content: Content)?
    for (place, neighbour) in neighbours.enumerated() {
      let first = acknowledged[place] ?? 0
      guard first < nextSequence else { continue }
      let content: Content?
      if bufferStart > first {
        content = state
      } else if settings.avoidsBackPropagation {
        content = group(from: first, for: neighbour)
      } else if let common, common.first == first {
        content = common.content
      } else {
        content = group(from: first, for: nil)
        if let content { common = (first, content) }
      }
      guard let content else { continue }
      box.send(.delta(content, sequence: nextSequence), to: neighbour)
    }
  }

  /// The join of the buffer's groups from a number on, except those that came from
  /// the one that it is for.
  private func group(from first: Int, for neighbour: Int?) -> Content? {
    var joined: Content?
    for group in buffer[(first - bufferStart)...] where group.origin != neighbour {
      if joined == nil {
        joined = group.content
      } else {
        joined?.join(group.content)
      }
    }
    return joined
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    switch message {
    case .delta(let content, let sequence):
      let news = state.absorb(content)
      if !news.isBottom {
        buffer.append(
          Group(origin: node, content: settings.removesRedundancy ? news : content))
      }
      box.send(.acknowledgement(sequence: sequence), to: node)
    case .acknowledgement(let sequence): acknowledge(sequence, by: node)
    default: break
    }
  }

  private mutating func acknowledge(_ sequence: Int, by node: Int) {
    guard let place = neighbours.firstIndex(of: node) else { return }
    acknowledged[place] = max(acknowledged[place] ?? 0, sequence)
    let least = acknowledged.lazy.compactMap { $0 }.min() ?? 0
    guard least > bufferStart else { return }
    buffer.removeFirst(least - bufferStart)
    bufferStart = least
  }

  var reading: [UInt64: UInt64] { state.reading }

  var held: Int {
    buffer.reduce(state.elementCount + acknowledged.count) {
      $0 + $1.content.elementCount + 1
    }
  }
}
