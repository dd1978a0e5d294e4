import CRDTKit

/// Files by their paths, of which concurrent contents are all kept.
protocol ReplayedFiles: TableBacked where Delta: BinaryCodable {
  /// The state before any commit.
  static var empty: Self { get }

  /// Makes the changes of a commit.
  mutating func make(
    _ changes: [HistoryTrace.Change], by replica: ReplicaID, at seconds: Int64)

  /// Each live path, with the hashes of its contents.
  var contents: [(path: String, hashes: [String])] { get }
}

extension MergeMap: ReplayedFiles where Key == String, Value == MVRegister<String> {
  static var empty: Self { MergeMap() }

  mutating func make(
    _ changes: [HistoryTrace.Change], by replica: ReplicaID, at seconds: Int64
  ) {
    for change in changes {
      switch change {
      case .write(let path, let hash): update(path, by: replica) { $0.set(hash) }
      case .remove(let path): removeValue(forKey: path, by: replica)
      }
    }
  }

  var contents: [(path: String, hashes: [String])] {
    map { (path: $0.key, hashes: $0.value.values) }
  }
}

extension Document: ReplayedFiles {
  static var empty: Document { Document() }

  /// A file is a record with its hash; a file that was removed is one without.
  mutating func make(
    _ changes: [HistoryTrace.Change], by replica: ReplicaID, at seconds: Int64
  ) {
    let latest = Int64(HybridTimestamp.millisecondsMax / 1_000)
    let milliseconds = UInt64(min(max(seconds, 0), latest)) * 1_000
    let stamp = HybridTimestamp(milliseconds: milliseconds, replica: replica)
    edit(at: stamp) { edit in
      for change in changes {
        switch change {
        case .write(let path, let hash):
          edit.set("hash", of: path, in: "files", to: .string(hash))
        case .remove(let path): edit.remove("hash", of: path, in: "files")
        }
      }
    }
  }

  var contents: [(path: String, hashes: [String])] {
    records(in: "files").compactMap { path in
      let hashes = alternatives(of: "hash", of: path, in: "files").compactMap { alternative in
        if case .string(let hash) = alternative.value { hash } else { nil }
      }
      return hashes.isEmpty ? nil : (path: path, hashes: hashes)
    }
  }
}
