import CRDTStoreTesting

/// The links between replicas.
///
/// In text it is one of the names, with numbers after a colon where it takes some:
/// `mesh`, `ring`, `star`, `line`, `tree`, `grid`, `mesh:4`, `random:3:7`,
/// `edges:0-1,1-2`.
enum Topology: Equatable, Sendable {
  /// Every replica is linked with every other.
  case mesh
  /// Every replica is linked with its two neighbours in a circle.
  case ring
  /// The first replica is linked with every other.
  case star
  /// Every replica is linked with its neighbours in a line; the ends have one.
  case line
  /// Every replica is linked with its two children in a binary tree: those of 0 are 1 and
  /// 2.
  case tree
  /// Each with those beside, above and below it, in rows as long as there are rows.
  case grid
  /// Each with so many others, spread over the circle.
  case degree(Int)
  /// Links drawn from a seed, so many a replica on average, that reach all.
  case random(degree: Int, seed: UInt64)
  /// The links that are listed, places from 0.
  case edges([Edge])

  /// A link between two places.
  struct Edge: Equatable, Sendable {
    var one: Int
    var other: Int
  }
}

extension Topology: CaseIterable {
  /// Those that need no numbers.
  static let allCases: [Topology] = [.mesh, .ring, .star, .line, .tree, .grid]
}

extension Topology {
  /// The neighbours of each replica, in ascending order.
  ///
  /// - Complexity: O(links · log `count`).
  func neighbours(among count: Int) -> [[Int]] {
    switch self {
    case .mesh: return (0..<count).map { one in (0..<count).filter { $0 != one } }
    case .ring: return Self.lists(count, (0..<count).map { ($0, ($0 + 1) % count) })
    case .star: return Self.lists(count, (1..<max(count, 1)).map { (0, $0) })
    case .line: return Self.lists(count, (1..<max(count, 1)).map { ($0 - 1, $0) })
    case .tree: return Self.lists(count, (1..<max(count, 1)).map { (($0 - 1) / 2, $0) })
    case .grid: return Self.lists(count, Self.gridLinks(count))
    case .degree(let degree): return Self.lists(count, Self.circleLinks(count, degree))
    case .random(let degree, let seed):
      return Self.lists(count, Self.randomLinks(count, degree, seed))
    case .edges(let edges): return Self.lists(count, edges.map { ($0.one, $0.other) })
    }
  }

  /// The neighbours of one replica, in ascending order.
  func neighbours(of replica: Int, among count: Int) -> [Int] {
    neighbours(among: count)[replica]
  }

  /// The problem with it for a number of replicas, if any.
  func problem(among count: Int) -> String? {
    switch self {
    case .degree(let degree) where degree >= count:
      return "a mesh of degree \(degree) needs at least \(degree + 1) replicas"
    case .edges(let edges):
      for edge in edges {
        guard edge.one < count, edge.other < count else {
          return "the link \(edge.one)-\(edge.other) leads to a place that is not there"
        }
        guard edge.one != edge.other else { return "a replica can't be linked with itself" }
      }
      return reachesAll(count) ? nil : "the links don't reach all replicas"
    default: return nil
    }
  }

  private func reachesAll(_ count: Int) -> Bool {
    let neighbours = neighbours(among: count)
    var reached: Set = [0]
    var edge = [0]
    while let place = edge.popLast() {
      edge += neighbours[place].filter { reached.insert($0).inserted }
    }
    return reached.count == count
  }

  private static func lists(_ count: Int, _ links: [(Int, Int)]) -> [[Int]] {
    var lists = Array(repeating: [Int](), count: count)
    for (one, other) in links where one != other {
      lists[one].append(other)
      lists[other].append(one)
    }
    return lists.map { Set($0).sorted() }
  }

  private static func gridLinks(_ count: Int) -> [(Int, Int)] {
    var width = 1
    while width * width < count { width += 1 }
    return (0..<count).flatMap { place in
      [(place % width == width - 1 ? place : place + 1), place + width].filter { $0 < count }
        .map { (place, $0) }
    }
  }

  /// Each with the nearest on both sides; where the degree is odd, also with the
  /// one across.
  private static func circleLinks(_ count: Int, _ degree: Int) -> [(Int, Int)] {
    var links: [(Int, Int)] = []
    for place in 0..<count {
      for step in stride(from: 1, through: max(degree, 2) / 2, by: 1) {
        links.append((place, (place + step) % count))
      }
      if degree > 2, degree % 2 == 1, place < (count + 1) / 2 {
        links.append((place, (place + count / 2) % count))
      }
    }
    return links
  }

  private static func randomLinks(_ count: Int, _ degree: Int, _ seed: UInt64) -> [(Int, Int)] {
    var generator = SeededGenerator(seed: seed, stream: UInt64(count))
    // Each with an earlier one: so all are reached.
    var links = (1..<max(count, 1)).map { (generator.below($0), $0) }
    var taken = Set(links.map { $0.0 * count + $0.1 })
    let wanted = min(count * degree / 2, count * (count - 1) / 2)
    var tries = 0
    while links.count < wanted, tries < 20 * wanted {
      tries += 1
      let (one, other) = (generator.below(count), generator.below(count))
      guard one != other, taken.insert(min(one, other) * count + max(one, other)).inserted
      else { continue }
      links.append((min(one, other), max(one, other)))
    }
    return links
  }
}

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
