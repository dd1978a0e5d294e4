import CRDTKit

/// An oracle for worlds in which one name may be used in two places: it knows every durable
/// edit, and the expected value after any set of seen edits.
///
/// It shares nothing with the code under test, not even the names of events: the world
/// numbers the edits.
struct LineOracle {
  private let rule: Oracle.Rule
  private(set) var edits: [RecordedEdit] = []
  /// The indices of each key's edits, in the order of their creation.
  private var placesByKey: [Int: [Int]] = [:]
  /// How far stamps are apart at least for it to be known which comes first: where some
  /// were written anew, a millisecond.
  private var precision: UInt64 = 1
  /// The edits of a text, which has no keys but 0.
  private var text = TextLineOracle()
  /// The edits of a list, which has no keys but 0.
  private var list = ListLineOracle()

  init(rule: Oracle.Rule) {
    self.rule = rule
  }

  /// The keys that were edited.
  var keys: [Int] { placesByKey.keys.sorted() }

  /// Records an edit; returns what is wrong with it, if anything is.
  @discardableResult
  mutating func record(_ edit: RecordedEdit) -> String? {
    if let limit = edit.restampsBeyond { restamp(edit, beyond: limit) }
    placesByKey[edit.change.key, default: []].append(edits.count)
    edits.append(edit)
    return switch rule {
    case .text: text.record(edit)
    case .list: list.record(edit)
    default: nil
    }
  }

  /// Has the stamps of a writer that are too great be those that they were written anew
  /// with, of which the edit's is the last.
  private mutating func restamp(_ edit: RecordedEdit, beyond limit: UInt64) {
    let places = edits.indices.filter {
      edits[$0].place == edit.place && edits[$0].stamp.time > limit
    }
    precision = 1 << 16
    for (rank, place) in places.enumerated() {
      edits[place].stamp = HybridTimestamp(
        time: edit.stamp.time - UInt64(places.count - 1 - rank), replica: edit.replica)
    }
  }

  func edits(of key: Int) -> [RecordedEdit] { (placesByKey[key] ?? []).map { edits[$0] } }

  /// The number of events of the seen edits.
  func eventCount(at seen: Shadow) -> UInt64 {
    edits.reduce(0) { $0 + (seen.contains($1.serial) ? $1.events : 0) }
  }

  /// Whether an edit removes another one's effect, because it had seen it.
  private func takesAway(_ one: RecordedEdit, _ other: RecordedEdit) -> Bool {
    guard one.change.kind != .add else { return false }
    if let seen = one.seen { return seen.contains(other.serial) }
    return one.read.contains(other.change.payload)
  }

  /// What a key may read as where so much was seen: more than one thing only where stamps
  /// of two places under one name are the same.
  ///
  /// - Complexity: O(edits of the key, squared).
  func readings(of key: Int, at seen: Shadow) -> [[Int64]] {
    var rest: [Int] = []
    for place in placesByKey[key] ?? [] where seen.contains(edits[place].serial) {
      rest.removeAll { takesAway(edits[place], edits[$0]) }
      if edits[place].change.kind != .remove { rest.append(place) }
    }
    let alive = rest.map { edits[$0] }
    if key < 0 { return [key == -3 ? [] : [alive.reduce(0) { $0 + $1.change.payload }]] }
    guard !alive.isEmpty else { return [[]] }
    switch rule {
    case .presence: return [[1]]
    case .values: return [alive.map(\.change.payload).sorted()]
    case .sum: return [[alive.reduce(0) { $0 + $1.change.payload }]]
    case .latest:
      let latest = alive.map(\.stamp.time).max() ?? 0
      return alive.filter { latest - $0.stamp.time < precision }.map { [$0.change.payload] }
    case .text, .list: return []
    }
  }

  /// What is wrong with a key that reads so after all that was seen.
  func problem(of key: Int, reading found: [Int64], at seen: Shadow) -> String? {
    if rule.isOfPositions {
      return problem(of: key, reading: found, required: seen, possible: seen)
    }
    let expected = readings(of: key, at: seen)
    return expected.contains(found) ? nil : " reads \(found), not \(expected[0])"
  }

  /// What is wrong with a key after all required edits and any of the possible ones.
  func problem(
    of key: Int, reading found: [Int64], required: Shadow, possible: Shadow
  ) -> String? {
    if rule.isOfPositions {
      let problem =
        rule == .text
        ? text.problem(of: found, required: required, possible: possible)
        : list.problem(of: found, required: required, possible: possible)
      return problem.map { ": \($0)" }
    }
    let open = Set(edits(of: key).map(\.serial)).filter { !required.contains($0) }.sorted()
    guard open.count <= 8 else { return nil }
    for choice in 0..<1 << open.count {
      var seen = required
      for (bit, serial) in open.enumerated() where choice >> bit & 1 == 1 { seen.insert(serial) }
      if readings(of: key, at: seen).contains(found) { return nil }
    }
    return " reads \(found) in the end, not \(readings(of: key, at: required)[0])"
  }
}
