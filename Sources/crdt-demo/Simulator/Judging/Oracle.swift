import CRDTKit

/// An oracle that knows every durable edit of a world, and the expected value of a replica
/// at any version.
///
/// It shares nothing with the code under test except the names of events. It uses no
/// merging, deltas or rows, but only what each writer had seen at each edit.
struct Oracle {
  /// How a key's value follows from the edits.
  enum Rule: Sendable {
    /// Whether a write remains that was not removed.
    case presence
    /// The payloads of all writes that were not removed.
    case values
    /// The sum of the additions that were not removed.
    case sum
    /// The payload with the latest stamp of all writes that were not removed.
    case latest
    /// The scalars of a text.
    case text
    /// The elements of a list.
    case list

    /// Whether there is one key, whose edits say what they did at which position.
    var isOfPositions: Bool { self == .text || self == .list }
  }

  /// The edits of each key, in the order of their creation.
  private(set) var edits: [Int: [RecordedEdit]] = [:]
  /// The edits of each key that were not removed by any edit.
  private var alive: [Int: [RecordedEdit]] = [:]
  /// The version of all edits.
  private(set) var version = VersionVector()
  private(set) var count = 0
  private let rule: Rule
  /// The edits of a text, which has no keys but 0.
  private var text = TextOracle()
  /// The edits of a list, which has no keys but 0.
  private var list = ListOracle()

  init(rule: Rule) {
    self.rule = rule
  }

  /// The keys that were edited.
  var keys: [Int] { edits.keys.sorted() }

  /// Records an edit; returns what is wrong with it, if anything is.
  @discardableResult
  mutating func record(_ edit: RecordedEdit) -> String? {
    count += 1
    version[edit.replica] = max(version[edit.replica], edit.counter)
    let key = edit.change.key
    edits[key, default: []].append(edit)
    if rule == .text { return text.record(edit) }
    if rule == .list { return list.record(edit) }
    var rest = alive[key] ?? []
    rest.removeAll { takesAway(edit, $0) }
    if edit.change.kind != .remove { rest.append(edit) }
    alive[key] = rest
    return nil
  }

  /// Whether an edit removes another one's effect, because it had seen it.
  private func takesAway(_ one: RecordedEdit, _ other: RecordedEdit) -> Bool {
    guard one.change.kind != .add else { return false }
    return other.counter <= one.observed[other.replica]
  }

  /// The expected value of a key at a version.
  ///
  /// - Complexity: O(edits of the key, squared), unless all was seen.
  func reading(of key: Int, at version: VersionVector) -> [Int64] {
    if rule == .text { return text.reading(at: version) }
    if rule == .list { return list.reading(at: version) }
    let rest = version == self.version ? alive[key] ?? [] : alive(under: key, at: version)
    // The counts of a ledger read as 0 where nothing was counted.
    if key < 0 { return key == -3 ? [] : [rest.reduce(0) { $0 + $1.change.payload }] }
    guard !rest.isEmpty else { return [] }
    switch rule {
    case .presence: return [1]
    case .values: return rest.map(\.change.payload).sorted()
    case .sum: return [rest.reduce(0) { $0 + $1.change.payload }]
    case .latest:
      return rest.max { $0.stamp < $1.stamp }.map { [$0.change.payload] } ?? []
    case .text, .list: return []
    }
  }

  /// The edits of a key that were not removed, at a version.
  private func alive(under key: Int, at version: VersionVector) -> [RecordedEdit] {
    let edits = edits[key] ?? []
    // Compare by index: a copy of an edit would cost a retain for each comparison.
    var rest: [Int] = []
    for place in edits.indices where edits[place].counter <= version[edits[place].replica] {
      rest.removeAll { takesAway(edits[place], edits[$0]) }
      if edits[place].change.kind != .remove { rest.append(place) }
    }
    return rest.map { edits[$0] }
  }

  /// Whether a key has a write that is concurrent with a removal, where so much was
  /// seen.
  func hasConcurrentRemoval(_ key: Int, at version: VersionVector) -> Bool {
    let seen = (edits[key] ?? []).filter { $0.counter <= version[$0.replica] }
    return seen.contains { one in
      one.change.kind == .remove
        && seen.contains { other in
          other.change.kind != .remove && other.counter > one.observed[other.replica]
            && one.counter > other.observed[one.replica]
        }
    }
  }
}

/// The change of one key by an edit, in the form of the ``Oracle``.
struct OracleChange: Equatable, Sendable {
  enum Kind: Sendable {
    /// Replaces everything seen with a payload.
    case write
    /// Removes everything seen.
    case remove
    /// Adds to a count.
    case add
    /// Changes a text or a list at positions.
    case splice
  }

  var key: Int
  var kind: Kind
  var payload: Int64 = 0
  /// What is changed in a text.
  var text: OracleTextEdit?
  /// What is changed in a list.
  var list: [ListChange]?
}

extension OracleChange {
  /// A change of a text, which is the only key.
  init(text: OracleTextEdit) { self.init(key: 0, kind: .splice, text: text) }

  /// Changes of a list, which is the only key.
  init(list: [ListChange]) { self.init(key: 0, kind: .splice, list: list) }
}

/// A durable edit of a replica.
struct RecordedEdit: Sendable {
  /// The event that it is.
  var replica: ReplicaID
  var counter: UInt64
  /// The version that the replica had seen at the edit.
  var observed: VersionVector
  var change: OracleChange
  var stamp: HybridTimestamp
  /// The number that the world has given the edit, and where it was made.
  var serial = 0
  var place = 0
  /// The number of its events; the first of several changes counts all.
  var events: UInt64 = 0
  /// What the writer had seen, where that is known by numbers.
  var seen: Shadow?
  /// The time beyond which the writer's stamps are those of this one from now on.
  var restampsBeyond: UInt64?
  /// The previous value of the key.
  var read: [Int64] = []
}

/// Which edits of a ``World`` something has seen, by the numbers that the world gives them.
///
/// It is test equipment: it goes with values and messages, and no node looks at it.
typealias Shadow = NumberSet
