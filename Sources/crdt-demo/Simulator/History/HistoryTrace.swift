package import CRDTKit

/// A public history as facts: commits on lanes, and what each wrote and removed.
///
///     C <index> <lane> <unix seconds> <parents joined by commas, or ->
///     + <path> <content hash, 12 hex>
///     - <path>
///
/// The fields are separated by tabs. Parents come before their children.
///
/// A first line that names one file makes the trace a structured one, of what that
/// file holds as JSON: paths are JSON arrays of names, contents JSON values.
///
///     D <file>
///     + <path, as ["name","name"]> <value>
///     - <path>
package struct HistoryTrace {
  /// One commit and its changes.
  package struct Commit: Equatable {
    package var lane: UInt64
    package var seconds: Int64
    package var parents: [Int]
    package var changes: [Change] = []
    package var line: Int
  }

  /// What a commit did to one path.
  package enum Change: Equatable {
    case write(path: String, hash: String)
    case remove(path: String)
    case set(path: FieldPath, value: Document.Value)
    case unset(path: FieldPath)
  }

  /// A line that does not say what it should.
  package struct Malformed: Error, Equatable {
    package var line: Int
    package var reason: String
  }

  /// The greatest file that is read, in bytes.
  package static let sizeMax = 256 << 20
  /// The longest path, in bytes.
  package static let pathLengthMax = 4_096
  /// The most parents a commit may have.
  package static let parentsMax = 1_024

  /// The file that a structured trace is about; `nil` where paths are files.
  package var record: String?
  package var commits: [Commit]
}

/// A change of a history by the number of its path.
package struct HistoryEdit: Equatable, Codable {
  package var key: Int
  /// Whether what was at the path is taken away.
  package var isRemoval: Bool
}

extension HistoryTrace {
  /// Its changes in the order of the commits, each with the replica that makes it.
  ///
  /// Lanes are shared among the replicas. Says how many paths there are, too.
  package func edits(among replicas: Int) -> (edits: [(place: Int, edit: HistoryEdit)], keys: Int) {
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
