import CRDTKit
import CRDTSimulator
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
