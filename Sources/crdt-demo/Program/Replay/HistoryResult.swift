import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

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
