/// Who is linked with whom.
enum Topology: String, CaseIterable {
  /// Each with each.
  case mesh
  /// Each with the two beside it, in a circle.
  case ring
  /// The first with each.
  case star
  /// Each with the two beside it; the ends have one neighbour.
  case line

  /// The neighbours of each replica, in ascending order.
  func neighbours(of replica: Int, among count: Int) -> [Int] {
    let others = (0..<count).filter { $0 != replica }
    return switch self {
    case .mesh: others
    case .ring: others.filter { [1, count - 1].contains(abs($0 - replica)) }
    case .star: replica == 0 ? others : [0]
    case .line: others.filter { abs($0 - replica) == 1 }
    }
  }
}
