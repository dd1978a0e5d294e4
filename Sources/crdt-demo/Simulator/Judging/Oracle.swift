import CRDTKit

/// Knows every durable edit of a world, and so what a replica of any version must
/// read as.
///
/// It shares nothing with the code that it judges but the names of events: no
/// merging, no deltas, no rows; only who had seen what when an edit was made.
struct Oracle {
  /// How what a key reads as follows from the edits.
  enum Rule: Sendable {
    /// Whether there is a write that nothing has taken away.
    case presence
    /// The payloads of all writes that nothing has taken away.
    case values
    /// The sum of what was added and not taken away.
    case sum
    /// Of the writes that nothing has taken away, the payload with the latest stamp.
    case latest
  }

  /// The edits of each key, in the order in which they were made.
  private(set) var edits: [Int: [RecordedEdit]] = [:]
  /// Of each key the edits that nothing has taken away, of all that were made.
  private var alive: [Int: [RecordedEdit]] = [:]
  /// What there is in all.
  private(set) var version = VersionVector()
  private(set) var count = 0
  private let rule: Rule

  init(rule: Rule) {
    self.rule = rule
  }

  /// The keys that were edited.
  var keys: [Int] { edits.keys.sorted() }

  /// Takes in an edit.
  mutating func record(_ edit: RecordedEdit) {
    count += 1
    version[edit.replica] = max(version[edit.replica], edit.counter)
    let key = edit.change.key
    edits[key, default: []].append(edit)
    var rest = alive[key] ?? []
    rest.removeAll { takesAway(edit, $0) }
    if edit.change.kind != .remove { rest.append(edit) }
    alive[key] = rest
  }

  /// Whether one edit takes another's effect away: it had seen it.
  private func takesAway(_ one: RecordedEdit, _ other: RecordedEdit) -> Bool {
    guard one.change.kind != .add else { return false }
    return other.counter <= one.observed[other.replica]
  }

  /// What a key must read as where so much was seen.
  ///
  /// - Complexity: O(edits of the key, squared), unless all was seen.
  func reading(of key: Int, at version: VersionVector) -> [Int64] {
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
    }
  }

  /// The edits of a key that nothing has taken away, where so much was seen.
  private func alive(under key: Int, at version: VersionVector) -> [RecordedEdit] {
    let edits = edits[key] ?? []
    // By their places: a copy of an edit would cost a reference for each comparison.
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
    /// Puts a payload in the place of all that was seen.
    case write
    /// Takes away all that was seen.
    case remove
    /// Adds to a count.
    case add
  }

  var key: Int
  var kind: Kind
  var payload: Int64 = 0
}

/// A durable edit of a replica.
struct RecordedEdit: Sendable {
  /// The event that it is.
  var replica: ReplicaID
  var counter: UInt64
  /// What the replica had seen when it was made.
  var observed: VersionVector
  var change: OracleChange
  var stamp: HybridTimestamp
  /// The number that the world has given the edit, and where it was made.
  var serial = 0
  var place = 0
  /// How many events it is; of several changes, the first counts all.
  var events: UInt64 = 0
  /// What the writer had seen, where that is known by numbers.
  var seen: Shadow?
  /// The time beyond which the writer's stamps are those of this one from now on.
  var restampsBeyond: UInt64?
  /// What the key read as before.
  var read: [Int64] = []
}

/// Which edits of a ``World`` something has seen, by the numbers that the world gives them.
///
/// It is test equipment: it goes with values and messages, and no node looks at it.
struct Shadow: Equatable, Sendable {
  private var words: ContiguousArray<UInt64> = []

  func contains(_ serial: Int) -> Bool {
    let word = serial / 64
    return word < words.count && words[word] >> (serial % 64) & 1 == 1
  }

  mutating func insert(_ serial: Int) {
    grow(to: serial / 64 + 1)
    words[serial / 64] |= 1 << (serial % 64)
  }

  mutating func formUnion(_ other: Shadow) {
    grow(to: other.words.count)
    for place in other.words.indices { words[place] |= other.words[place] }
  }

  private mutating func grow(to count: Int) {
    while words.count < count { words.append(0) }
  }
}
