import CRDTKit

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
    case set(path: FieldPath, value: Document.Value)
    case unset(path: FieldPath)
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

  /// The file that a structured trace is about; `nil` where paths are files.
  var record: String?
  var commits: [Commit]
}
