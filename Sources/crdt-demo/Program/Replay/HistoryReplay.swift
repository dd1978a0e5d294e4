import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

/// Replays a history: each lane is a replica, and a commit's state is the merge
/// of its parents' states with its own changes.
///
/// A lane's replica goes on from the state of its last commit, and takes every
/// other parent's state in as a delta: encoded, decoded, applied. A state is kept
/// until the last commit that builds on it has been replayed.
struct HistoryReplay<Files: ReplayedFiles> {
  private let trace: HistoryTrace
  /// The states that later commits build on, by commit.
  private var states: [Int: Files] = [:]
  /// How many later commits build on each.
  private var childrenLeft: [Int]
  private var lanes: Set<UInt64> = []
  private var events = 0
  private var deltas = 0
  private var deltaBytes = 0

  init(_ trace: HistoryTrace) {
    self.trace = trace
    childrenLeft = Array(repeating: 0, count: trace.commits.count)
    for commit in trace.commits {
      for parent in commit.parents { childrenLeft[parent] += 1 }
    }
  }

  /// Replays all commits, and tells how many are done.
  mutating func run(progress: (Int) -> Void) throws -> HistoryResult {
    var last = Files.empty
    for (index, commit) in trace.commits.enumerated() {
      if index % 100 == 0 { progress(index) }
      last = try state(before: commit)
      change(&last, by: commit)
      if childrenLeft[index] > 0 { states[index] = last }
    }
    return HistoryResult(
      commits: trace.commits.count, lanes: lanes.count, events: events,
      contents: last.contents(of: trace.record),
      deltas: deltas, deltaBytes: deltaBytes)
  }

  /// The merge of the parents' states.
  private mutating func state(before commit: HistoryTrace.Commit) throws -> Files {
    let own = commit.parents.first { trace.commits[$0].lane == commit.lane }
    var files = own.flatMap { use($0) } ?? Files.empty
    for parent in commit.parents where parent != own {
      guard let other = use(parent) else { continue }
      let bytes = other.delta(since: files.version).encoded()
      deltas += 1
      deltaBytes += bytes.count
      try files.apply(Files.Delta(decoding: bytes))
    }
    return files
  }

  /// A parent's state, which is let go when no other commit builds on it.
  private mutating func use(_ commit: Int) -> Files? {
    childrenLeft[commit] -= 1
    return childrenLeft[commit] > 0 ? states[commit] : states.removeValue(forKey: commit)
  }

  private mutating func change(_ files: inout Files, by commit: HistoryTrace.Commit) {
    let replica = ReplicaID(commit.lane + 1)
    if !commit.changes.isEmpty { lanes.insert(commit.lane) }
    events += commit.changes.count
    files.make(commit.changes, in: trace.record, by: replica, at: commit.seconds)
  }
}

/// What a replayed history ends with.
struct HistoryResult {
  /// A live path, and what was written there concurrently: hashes of files, or
  /// values of fields.
  struct Content {
    var path: String
    var values: [String]

    /// The values in the order of their bytes, each once.
    var distinctValues: [String] {
      Set(values.map { JSONName(text: $0) }).map(\.text)
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  var commits: Int
  /// How many replicas have made events.
  var lanes: Int
  /// Writes and removals: one of a path that is not there is an event too.
  var events: Int
  var contents: [Content]
  /// How many deltas were taken in, and their encoded size.
  var deltas: Int
  var deltaBytes: Int

  /// How many paths hold several values that differ.
  var conflicts: Int { contents.count { $0.distinctValues.count > 1 } }

  /// Each live path in the order of its bytes, a tab, and its values in order,
  /// each once.
  var listing: [UInt8] {
    let lines = contents.map { content in
      (path: Array(content.path.utf8), values: content.distinctValues.joined(separator: ","))
    }
    let sorted = lines.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    return sorted.flatMap { $0.path + Array("\t\($0.values)\n".utf8) }
  }
}

extension HistoryResult {
  /// The result as people read it.
  var text: String {
    """
    commits=\(commits) lanes=\(lanes) events=\(events) live=\(contents.count) \
    conflicts=\(conflicts) sha256=\(SHA256.hexadecimalDigest(of: listing))
    deltas=\(deltas) bytes=\(deltaBytes)

    """
  }

  /// The result as programs read it.
  var json: JSONValue {
    .object([
      ("commits", .integer(commits)),
      ("lanes", .integer(lanes)),
      ("events", .integer(events)),
      ("live", .integer(contents.count)),
      ("conflicts", .integer(conflicts)),
      ("sha256", .string(SHA256.hexadecimalDigest(of: listing))),
      ("deltas", .integer(deltas)),
      ("bytes", .integer(deltaBytes)),
    ])
  }
}
