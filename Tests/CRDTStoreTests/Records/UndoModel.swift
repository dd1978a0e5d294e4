import CRDTKit
import CRDTStore

/// A record with a field of most rules, and a nested struct that may be absent.
struct Leaf: Codable, Identifiable, Sendable, Hashable, Replicated {
  var id: String
  var title = ""
  var body = ""
  var best = 0
  var likes = 0
  var tags: Set<String> = []
  var place: Spot?

  struct Spot: Codable, Sendable, Hashable {
    var city: String
    var zip: Int?
  }

  static let collection = "leaves"
  static let rules = Rules([
    CodingKeys.body: .manual, .best: .max, .likes: .counter, .tags: .set,
  ])
}

/// What undoing should do, said in terms of who wrote what, having seen what.
///
/// Everything that was written is a fact with a number. A side knows facts, and which of
/// them nobody that it has heard of has taken away; two sides that meet agree on that.
struct UndoModel {
  enum Kind: Hashable {
    case birth, object
    /// There is a set, whatever is in it. It says nothing, but is something written.
    case set
    case deletion(seen: Set<Int>)
    case value(Document.Value)
    case member(String)
    case count(Int)
  }

  /// Something that was written at a time, by a side; at 0 it was put back by an undo, and
  /// gives way.
  struct Fact: Hashable {
    var record: String
    var path: String
    var kind: Kind
    var author: Int
    var time: Int
    /// What it stands for, if an undo put it back.
    var origin = Origin()
  }

  /// Facts that were taken away, and when the first of them was written.
  struct Origin: Hashable {
    var facts: Set<Int> = []
    var time = 0
  }

  /// What a commit did to a field, as its author meant it.
  enum Change: Hashable {
    case assign(String, Document.Value?, before: Document.Value?)
    case count(Int)
    case insert(String)
    case take(String)
    /// A nested struct comes, or gives way to nothing.
    case make(Leaf.Spot)
    case drop(Leaf.Spot)
    /// One that was made is taken away, or comes back in place of nothing at all or of a
    /// written one.
    case unmake(Leaf.Spot?)
    case remake(Leaf.Spot, overNull: Bool)

    /// The field of the record that is changed.
    var field: String {
      switch self {
      case .assign(let path, _, _): String(path.prefix { $0 != "." })
      case .count: "likes"
      case .insert, .take: "tags"
      case .make, .drop, .unmake, .remake: "place"
      }
    }
  }

  /// A commit, as a receipt remembers it.
  struct Commit {
    enum Verb { case create, delete, restore, update }
    var verb: Verb
    var record: String
    var author: Int
    var changes: [Change] = []
    var facts: Set<Int> = []
    var births: Set<Int> = []
    var seen: Set<Int> = []
    /// What said that there is a nested struct, or none.
    var parents: Set<Int> = []
    /// When what was taken away had been written.
    var time = 0
    /// What an undo would put back, and what that would stand for.
    var replaced: [Replaced: Origin] = [:]
  }

  /// A value of a field, or an element.
  struct Replaced: Hashable {
    var path: String
    var kind: Kind
  }

  struct Side {
    var live: Set<Int> = []
    var known: Set<Int> = []
  }

  var facts: [Fact] = []
  var sides: [Side]
  /// The time of the commits, each later than all before it.
  var now = 0

  init(sides count: Int) { sides = Array(repeating: Side(), count: count) }

  mutating func meet(_ left: Int, _ right: Int) {
    let (a, b) = (sides[left], sides[right])
    let live = a.live.filter { b.live.contains($0) || !b.known.contains($0) }
      .union(b.live.filter { !a.known.contains($0) })
    sides[left] = Side(live: live, known: a.known.union(b.known))
    sides[right] = sides[left]
  }
}

extension UndoModel {
  /// The facts about a field that nobody has taken away.
  func facts(_ side: Int, _ record: String, _ path: String) -> [Int] {
    sides[side].live.filter { facts[$0].record == record && facts[$0].path == path }.sorted()
  }

  func contents(_ side: Int, _ record: String) -> [Int] {
    sides[side].live.filter { number in
      guard facts[number].record == record else { return false }
      if case .deletion = facts[number].kind { return false }
      return true
    }.sorted()
  }

  func beneath(_ side: Int, _ record: String) -> [Int] {
    contents(side, record).filter { facts[$0].path.hasPrefix("place.") }
  }

  func deletions(_ side: Int, _ record: String) -> [Int] {
    sides[side].live.filter { number in
      if case .deletion = facts[number].kind { return facts[number].record == record }
      return false
    }.sorted()
  }

  func births(_ side: Int, _ record: String) -> Set<Int> {
    Set(facts(side, record, "").filter { facts[$0].kind == .birth })
  }

  func isPresent(_ side: Int, _ record: String) -> Bool {
    guard !births(side, record).isEmpty else { return false }
    let deletions = deletions(side, record)
    var seen: Set<Int> = []
    for deletion in deletions {
      if case .deletion(let facts) = facts[deletion].kind { seen.formUnion(facts) }
    }
    return deletions.isEmpty || contents(side, record).contains { !seen.contains($0) }
  }

  /// The fact that a field shows, among some.
  func winner(_ numbers: [Int], isMax: Bool = false) -> Int? {
    let written = numbers.filter { facts[$0].time > 0 }
    return (written.isEmpty ? numbers : written).max { left, right in
      if isMax, case .value(let a) = facts[left].kind, case .value(let b) = facts[right].kind,
        a != b
      {
        return a < b
      }
      // What undos have put back has no time: the greater replica wins.
      return (facts[left].time, facts[left].author, left)
        < (facts[right].time, facts[right].author, right)
    }
  }

  func value(_ side: Int, _ record: String, _ path: String) -> Document.Value? {
    let winner = winner(facts(side, record, path), isMax: path == "best")
    guard let winner, case .value(let value) = facts[winner].kind else { return nil }
    return value
  }

  func hasPlace(_ side: Int, _ record: String) -> Bool {
    winner(facts(side, record, "place")).map { facts[$0].kind == .object } ?? false
  }

  /// The record, and whether it can be read: one whose place has no city can't.
  func read(_ side: Int, _ record: String) -> (leaf: Leaf, isReadable: Bool)? {
    guard isPresent(side, record) else { return nil }
    var leaf = Leaf(id: record)
    if case .string(let text)? = value(side, record, "title") { leaf.title = text }
    if case .string(let text)? = value(side, record, "body") { leaf.body = text }
    if case .int(let number)? = value(side, record, "best") { leaf.best = Int(number) }
    for number in facts(side, record, "likes") {
      if case .count(let amount) = facts[number].kind { leaf.likes += amount }
    }
    for number in facts(side, record, "tags") {
      if case .member(let tag) = facts[number].kind { leaf.tags.insert(tag) }
    }
    guard hasPlace(side, record) else { return (leaf, true) }
    guard case .string(let city)? = value(side, record, "place.city") else { return (leaf, false) }
    leaf.place = Leaf.Spot(city: city)
    if case .int(let zip)? = value(side, record, "place.zip") { leaf.place?.zip = Int(zip) }
    return (leaf, true)
  }

  /// The values of a field under the manual rule that somebody has to choose from.
  func sides(of record: String, _ side: Int) -> Set<String> {
    guard isPresent(side, record) else { return [] }
    let written = facts(side, record, "body").filter { facts[$0].time > 0 }
    let texts = written.compactMap { number -> String? in
      if case .value(.string(let text)) = facts[number].kind { text } else { nil }
    }
    let values = Set(texts)
    return values.count > 1 ? values : []
  }
}
