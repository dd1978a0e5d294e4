/// What a replayed history ends with.
struct HistoryResult {
  var commits: Int
  /// How many replicas have made events.
  var lanes: Int
  /// Writes and removals: one of a path that is not there is an event too.
  var events: Int
  /// Each live path, with the hashes of its contents.
  var contents: [(path: String, hashes: [String])]
  /// How many deltas were taken in, and their encoded size.
  var deltas: Int
  var deltaBytes: Int

  /// How many paths hold several values that differ.
  var conflicts: Int { contents.count { Set($0.hashes).count > 1 } }

  /// Each live path in the order of its bytes, a tab, and its hashes in order,
  /// each once.
  var listing: [UInt8] {
    let lines = contents.map { path, hashes in
      (path: Array(path.utf8), hashes: Set(hashes).sorted().joined(separator: ","))
    }
    let sorted = lines.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    return sorted.flatMap { $0.path + Array("\t\($0.hashes)\n".utf8) }
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
