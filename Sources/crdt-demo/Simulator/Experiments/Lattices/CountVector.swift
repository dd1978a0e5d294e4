import CRDTKit

/// How often each node has counted: the experiments' `GCounter`; an element is a
/// node's entry.
struct CountVector: Lattice {
  /// By node; 0 where a node has no entry.
  private var counts: [UInt64] = []

  init() {}

  init(node: Int, count: UInt64) {
    counts = Array(repeating: 0, count: node) + [count]
  }

  /// How often a node has counted.
  subscript(node: Int) -> UInt64 { node < counts.count ? counts[node] : 0 }

  func delta(of update: ExperimentUpdate, by node: Int) -> CountVector {
    guard case .increment = update else { return CountVector() }
    return CountVector(node: node, count: self[node] + 1)
  }

  mutating func join(_ other: CountVector) {
    if counts.count < other.counts.count {
      counts += repeatElement(0, count: other.counts.count - counts.count)
    }
    for node in other.counts.indices where other.counts[node] > counts[node] {
      counts[node] = other.counts[node]
    }
  }

  func inflation(over other: CountVector) -> CountVector {
    var news = self
    for node in counts.indices where counts[node] <= other[node] { news.counts[node] = 0 }
    while news.counts.last == 0 { news.counts.removeLast() }
    return news
  }

  var parts: [CountVector] {
    counts.indices.filter { counts[$0] > 0 }.map { CountVector(node: $0, count: counts[$0]) }
  }

  var elementCount: Int { counts.reduce(0) { $0 + ($1 > 0 ? 1 : 0) } }

  var isBottom: Bool { counts.isEmpty }

  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(elementCount))
    for (node, count) in counts.enumerated() where count > 0 {
      writer.write(fixed: ExperimentMessageFormat.identifier(of: node))
      writer.write(varint: count)
    }
  }

  var reading: [UInt64: UInt64] {
    var reading: [UInt64: UInt64] = [:]
    for (node, count) in counts.enumerated() where count > 0 { reading[UInt64(node)] = count }
    return reading
  }
}
