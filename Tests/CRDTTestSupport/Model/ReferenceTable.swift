package import CRDTKit

/// The rule of merging in its plainest form, to check the engine against.
///
/// Rows under dots and the events that were seen, in dictionaries. A row stays if
/// both tables have it or if the other has never seen its dot. There are no pages,
/// logs, indexes or bytes, and nothing is shared with the engine's code.
package struct ReferenceTable: Hashable, Sendable {
  /// What a row is about, as the names that lead to it, and what it says.
  package struct Row: Hashable, Sendable {
    package var path: [String]
    package var payload: Int
  }

  package private(set) var seen: [ReplicaID: UInt64] = [:]
  package private(set) var rows: [Dot: Row] = [:]
  private var dotsByPath: [[String]: Set<Dot>] = [:]

  package init() {}

  package static func == (left: ReferenceTable, right: ReferenceTable) -> Bool {
    left.seen == right.seen && left.rows == right.rows
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(seen)
    hasher.combine(rows)
  }

  package func hasSeen(_ dot: Dot) -> Bool { seen[dot.replica, default: 0] >= dot.counter }

  package func hasSeen(_ version: [ReplicaID: UInt64]) -> Bool {
    version.allSatisfy { seen[$0.key, default: 0] >= $0.value }
  }

  /// The dots of the rows with a path.
  package func dots(at path: [String]) -> Set<Dot> { dotsByPath[path] ?? [] }

  /// The dots of the rows whose paths begin so.
  package func dots(under path: [String]) -> Set<Dot> {
    Set(rows.lazy.filter { $0.value.path.starts(with: path) }.map(\.key))
  }

  /// An event that adds a row and kills others.
  package mutating func write(
    _ payload: Int, at path: [String], by replica: ReplicaID, killing killed: Set<Dot>
  ) {
    let dot = makeEvent(by: replica)
    for dot in killed { forget(dot) }
    rows[dot] = Row(path: path, payload: payload)
    dotsByPath[path, default: []].insert(dot)
  }

  /// An event that kills rows, where there are any.
  package mutating func remove(_ killed: Set<Dot>, by replica: ReplicaID) {
    guard !killed.isEmpty else { return }
    _ = makeEvent(by: replica)
    for dot in killed { forget(dot) }
  }

  package mutating func merge(_ other: ReferenceTable) {
    for (dot, _) in rows where other.hasSeen(dot) && other.rows[dot] == nil { forget(dot) }
    for (dot, row) in other.rows where !hasSeen(dot) {
      rows[dot] = row
      dotsByPath[row.path, default: []].insert(dot)
    }
    seen.merge(other.seen) { max($0, $1) }
  }

  private mutating func makeEvent(by replica: ReplicaID) -> Dot {
    seen[replica, default: 0] += 1
    return Dot(replica, seen[replica, default: 0])
  }

  private mutating func forget(_ dot: Dot) {
    guard let row = rows.removeValue(forKey: dot) else { return }
    dotsByPath[row.path]?.remove(dot)
  }
}
