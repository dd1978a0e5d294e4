/// A change of a history by the number of its path.
struct HistoryEdit: Equatable {
  var key: Int
  /// Whether what was at the path is taken away.
  var isRemoval: Bool
}

extension HistoryTrace {
  /// Its changes in the order of the commits, each with the replica that makes it.
  ///
  /// Lanes are shared among the replicas. Says how many paths there are, too.
  func edits(among replicas: Int) -> (edits: [(place: Int, edit: HistoryEdit)], keys: Int) {
    var keys: [String: Int] = [:]
    var lanes: [UInt64: Int] = [:]
    var edits: [(place: Int, edit: HistoryEdit)] = []
    for commit in commits {
      let lane = lanes[commit.lane] ?? lanes.count
      lanes[commit.lane] = lane
      for change in commit.changes {
        let (path, isRemoval) = change.pathAndFate
        let key = keys[path] ?? keys.count
        keys[path] = key
        edits.append((lane % replicas, HistoryEdit(key: key, isRemoval: isRemoval)))
      }
    }
    return (edits, keys.count)
  }
}

extension HistoryTrace.Change {
  /// What it is about, and whether it takes that away.
  fileprivate var pathAndFate: (path: String, isRemoval: Bool) {
    switch self {
    case .write(let path, _): (path, false)
    case .remove(let path): (path, true)
    case .set(let path, _): ("\(path)", false)
    case .unset(let path): ("\(path)", true)
    }
  }
}
