/// A public history as facts: commits on lanes, and what each wrote and removed.
///
///     C <index> <lane> <unix seconds> <parents joined by commas, or ->
///     + <path> <content hash, 12 hex>
///     - <path>
///
/// The fields are separated by tabs. Parents come before their children.
struct HistoryTrace {
  /// One commit and its changes.
  struct Commit: Equatable {
    var lane: UInt64
    var seconds: Int64
    var parents: [Int]
    var changes: [Change] = []
    var line: Int
  }

  /// What a commit did to one path.
  enum Change: Equatable {
    case write(path: String, hash: String)
    case remove(path: String)
  }

  /// A line that does not say what it should.
  struct Malformed: Error, Equatable {
    var line: Int
    var reason: String
  }

  /// The greatest file that is read, in bytes.
  static let sizeMax = 256 << 20
  /// The longest path, in bytes.
  static let pathLengthMax = 4_096
  /// The most parents a commit may have.
  static let parentsMax = 1_024

  var commits: [Commit]
}
