import CRDTKit

/// What is known about the files in a relay's folder.
struct RelayCatalogue {
  /// A file, and where it is.
  struct Entry: Equatable {
    var file: RelayFile
    var head: FileHead
    var name: String
    var deltaStart: Int
    /// The memory that its head takes.
    var memory: Int
    /// Whether its delta was read and found damaged.
    var isDamaged = false
    /// The replicas under whose names its writer had other events than this store.
    var forks: [ReplicaID] = []
    /// Whether these events are known here under other names; `nil` if that can't be
    /// determined.
    var isMended: Bool?
    /// Whether its delta was received in a round of this relay.
    var isTaken = false
    /// Whether its writer had seen the same events as this store, but held other contents.
    var differs = false

    var size: Int { deltaStart + Int(clamping: file.deltaSize) }
  }

  var entries: [RelayFile.Key: Entry] = [:]

  /// The entries whose deltas are available, as far as is known, and are of the same events
  /// that this store has seen.
  var deltas: [Entry] {
    entries.values.filter {
      $0.file.hasDelta && !$0.isDamaged && $0.forks.isEmpty && !$0.differs
    }
  }

  /// The newest file of each replica.
  var newest: [ReplicaID: RelayFile] {
    var newest: [ReplicaID: RelayFile] = [:]
    for (key, entry) in entries where key.sequence > newest[key.writer]?.key.sequence ?? 0 {
      newest[key.writer] = entry.file
    }
    return newest
  }
}

extension RelayCatalogue {
  /// The version that a replica without any data reaches if it receives all that it can,
  /// and the files that it needs for that.
  ///
  /// - Complexity: O(n log n + r · n) for n files and r replicas.
  func covered() -> (version: VersionVector, by: Set<RelayFile.Key>) {
    var version: VersionVector = [:]
    var reached: Set<RelayFile.Key> = []
    let files = deltas.map { ($0.file, $0.file.base.eventCount) }.sorted { $0.1 < $1.1 }.map(\.0)
    var queue = BaseQueue(files, base: \.base, at: version)
    while let file = queue.removeFirst() {
      version.merge(file.version)
      queue.advance(to: version)
      reached.insert(file.key)
    }
    return (version, reached)
  }

  /// The files that make another one obsolete.
  func superseding(_ file: RelayFile) -> [RelayFile] {
    deltas.map(\.file).filter { $0.supersedes(file) }
  }

  /// The replicas that somebody has retired and that have written nothing since.
  func retired() -> Set<ReplicaID> {
    let newest = newest
    var retired: Set<ReplicaID> = []
    for file in newest.values {
      for mark in file.retired where newest[mark.replica]?.key.sequence ?? 0 <= mark.counter {
        retired.insert(mark.replica)
      }
    }
    return retired
  }

  /// The newest file with a delta of each replica but one.
  func newestDeltas(except own: ReplicaID) -> VersionVector {
    var known: VersionVector = [:]
    for entry in deltas where entry.file.key.writer != own {
      let key = entry.file.key
      known[key.writer] = max(known[key.writer], key.sequence)
    }
    return known
  }
}

extension VersionVector {
  /// The total number of events in the version.
  var eventCount: UInt64 { reduce(0) { $0 &+ $1.counter } }
}
