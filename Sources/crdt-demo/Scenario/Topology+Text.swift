extension Topology: LosslessStringConvertible {
  /// The greatest degree that a text can ask for.
  static let degreeMax = 999
  /// The most links that a text can list.
  static let edgesMax = 100_000

  /// What a text may say, for people.
  static let forms =
    "one of mesh, ring, star, line, tree, grid, mesh:DEGREE, random:DEGREE, "
    + "random:DEGREE:SEED, edges:A-B,C-D"

  init?(_ description: String) {
    if let plain = Self.allCases.first(where: { $0.description == description }) {
      self = plain
      return
    }
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 && parts[0] == "random" else { return nil }
    switch parts[0] {
    case "mesh":
      guard let degree = Self.degree(parts[1], from: 2) else { return nil }
      self = .degree(degree)
    case "random":
      guard let degree = Self.degree(parts[1], from: 1),
        let seed = parts.count == 3 ? UInt64(parts[2]) : 1
      else { return nil }
      self = .random(degree: degree, seed: seed)
    case "edges":
      guard let edges = Self.edges(parts[1]) else { return nil }
      self = .edges(edges)
    default: return nil
    }
  }

  private static func degree(_ text: Substring, from least: Int) -> Int? {
    Int(text).flatMap { (least...degreeMax).contains($0) ? $0 : nil }
  }

  private static func edges(_ text: Substring) -> [Edge]? {
    var edges: [Edge] = []
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = pair.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let one = Int(ends[0]), let other = Int(ends[1]), one >= 0,
        other >= 0, edges.count < edgesMax
      else { return nil }
      edges.append(Edge(one: one, other: other))
    }
    return edges
  }

  var description: String {
    switch self {
    case .mesh: "mesh"
    case .ring: "ring"
    case .star: "star"
    case .line: "line"
    case .tree: "tree"
    case .grid: "grid"
    case .degree(let degree): "mesh:\(degree)"
    case .random(let degree, let seed): "random:\(degree):\(seed)"
    case .edges(let edges):
      "edges:" + edges.map { "\($0.one)-\($0.other)" }.joined(separator: ",")
    }
  }
}
