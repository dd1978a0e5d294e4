import CRDTKit
import CRDTStore

extension UndoModel {
  /// Writes a fact, and takes others away.
  mutating func add(
    _ kind: Kind, _ path: String, to commit: inout Commit, at time: Int? = nil,
    killing killed: [Int] = []
  ) {
    let fact = Fact(
      record: commit.record, path: path, kind: kind, author: commit.author, time: time ?? now)
    take(killed, &commit)
    sides[commit.author].live.insert(facts.count)
    sides[commit.author].known.insert(facts.count)
    commit.facts.insert(facts.count)
    facts.append(fact)
  }

  mutating func kill(_ numbers: [Int], _ side: Int) { sides[side].live.subtract(numbers) }

  /// Takes facts away, so that an undo of the commit can put them back.
  mutating func take(_ numbers: [Int], _ commit: inout Commit) {
    for number in numbers where !commit.facts.contains(number) {
      let fact = facts[number]
      var origin = commit.replaced[Replaced(path: fact.path, kind: fact.kind)] ?? Origin()
      // A side knows what its own undos have put back.
      let older = fact.author == commit.author ? fact.origin : Origin()
      origin.facts.formUnion(older.facts.union([number]))
      origin.time = max(origin.time, fact.time, older.time)
      commit.replaced[Replaced(path: fact.path, kind: fact.kind)] = origin
    }
    kill(numbers, commit.author)
  }

  /// Writes what a commit had taken away.
  mutating func putBack(
    _ kind: Kind, _ path: String, of commit: Commit, _ undoing: inout Commit, at time: Int? = nil
  ) {
    add(kind, path, to: &undoing, at: time)
    facts[facts.count - 1].origin = commit.replaced[Replaced(path: path, kind: kind)] ?? Origin()
  }

  /// Whether a commit wrote a fact, or one for which it stands.
  func isOwn(_ number: Int, _ commit: Commit) -> Bool {
    commit.facts.contains(number)
      || facts[number].author == commit.author
        && !facts[number].origin.facts.isDisjoint(with: commit.facts)
  }

  mutating func create(_ leaf: Leaf, by side: Int) -> Commit {
    now += 1
    var commit = Commit(verb: .create, record: leaf.id, author: side)
    kill(contents(side, leaf.id) + deletions(side, leaf.id), side)
    add(.birth, "", to: &commit)
    add(.value(.string(leaf.title)), "title", to: &commit)
    add(.value(.string(leaf.body)), "body", to: &commit)
    add(.value(.int(Int64(leaf.best))), "best", to: &commit)
    if leaf.likes != 0 { add(.count(leaf.likes), "likes", to: &commit) }
    if !leaf.tags.isEmpty { add(.set, "tags", to: &commit) }
    for tag in leaf.tags { add(.member(tag), "tags", to: &commit) }
    if let place = leaf.place { perform(.make(place), &commit, seen: sides[side].known) }
    commit.births = births(side, leaf.id)
    return commit
  }

  mutating func delete(_ record: String, by side: Int) -> Commit {
    now += 1
    var commit = Commit(verb: .delete, record: record, author: side)
    let seen = Set(contents(side, record))
    add(.deletion(seen: seen), "", to: &commit, killing: deletions(side, record))
    return commit
  }

  mutating func restore(_ record: String, by side: Int) -> Commit {
    now += 1
    kill(deletions(side, record), side)
    return Commit(
      verb: .restore, record: record, author: side, births: births(side, record),
      seen: sides[side].known)
  }

  /// Changes a record from what somebody saw who knew some facts; gives the fields that
  /// were left out.
  mutating func update(
    _ record: String, from base: Leaf, to leaf: Leaf, by side: Int, seen: Set<Int>,
    isDraft: Bool = false
  ) -> (commit: Commit, left: Set<String>) {
    now += 1
    let untouched = self
    var commit = Commit(verb: .update, record: record, author: side)
    var left: Set<String> = []
    var changes = Self.changes(from: base, to: leaf)
    if !isDraft { changes.removeAll { isRefused($0, record, side, seen) } }
    guard !changes.isEmpty else { return (commit, left) }
    kill(deletions(side, record).filter(seen.contains), side)
    for field in ["best", "body", "likes", "place", "tags", "title"] {
      let before = (self, commit)
      for change in changes where change.field == field { perform(change, &commit, seen: seen) }
      if read(side, record)?.isReadable == false {
        (self, commit) = before
        left.insert(field)
      }
    }
    commit.changes.removeAll { left.contains($0.field) }
    commit.births = births(side, record)
    commit.parents = Set(facts(side, record, "place"))
    if commit.changes.isEmpty { self = untouched }
    return (commit, left)
  }

  /// Whether a value would not win, and so isn't written.
  private func isRefused(
    _ change: Change, _ record: String, _ side: Int, _ seen: Set<Int>
  ) -> Bool {
    guard case .assign("best", .int(let best)?, _) = change else { return false }
    let shown = winner(facts(side, record, "best").filter(seen.contains), isMax: true)
    guard let shown, case .value(.int(let number)) = facts[shown].kind else { return false }
    return best <= number
  }

  static func changes(from base: Leaf, to leaf: Leaf) -> [Change] {
    var changes: [Change] = []
    func assign(_ path: String, _ old: Document.Value?, _ new: Document.Value?) {
      if old != new { changes.append(.assign(path, new, before: old)) }
    }
    assign("title", .string(base.title), .string(leaf.title))
    assign("body", .string(base.body), .string(leaf.body))
    assign("best", .int(Int64(base.best)), .int(Int64(leaf.best)))
    if leaf.likes != base.likes { changes.append(.count(leaf.likes - base.likes)) }
    for tag in base.tags.subtracting(leaf.tags).sorted() { changes.append(.take(tag)) }
    for tag in leaf.tags.subtracting(base.tags).sorted() { changes.append(.insert(tag)) }
    switch (base.place, leaf.place) {
    case (nil, nil): break
    case (nil, let place?): changes.append(.make(place))
    case (let place?, nil): changes.append(.drop(place))
    case (let old?, let new?):
      assign("place.city", .string(old.city), .string(new.city))
      if old.zip != new.zip {
        let zip = new.zip.map { Document.Value.int(Int64($0)) } ?? .null
        assign("place.zip", old.zip.map { .int(Int64($0)) }, zip)
      }
    }
    return changes
  }

  mutating func perform(_ change: Change, _ commit: inout Commit, seen: Set<Int>) {
    let (side, record) = (commit.author, commit.record)
    commit.changes.append(change)
    switch change {
    case .assign(let path, let value, _):
      if isRefused(change, record, side, seen) { return }
      if path.hasPrefix("place.") { openPlace(&commit, seen) }
      add(
        .value(value ?? .null), path, to: &commit,
        killing: facts(side, record, path).filter(seen.contains))
    case .count(let amount): add(.count(amount), "likes", to: &commit)
    case .insert(let tag):
      openTags(&commit, seen)
      let same = facts(side, record, "tags").filter { facts[$0].kind == .member(tag) }
      add(.member(tag), "tags", to: &commit, killing: same.filter(seen.contains))
    case .take(let tag):
      openTags(&commit, seen)
      let same = facts(side, record, "tags").filter { facts[$0].kind == .member(tag) }
      take(same.filter(seen.contains), &commit)
    case .make(let place):
      openPlace(&commit, seen)
      write(place, &commit, at: now, seen)
    case .drop:
      var gone = facts(side, record, "place").filter(seen.contains)
      if gone.contains(where: { facts[$0].kind == .object }) {
        gone += beneath(side, record).filter(seen.contains)
      }
      add(.value(.null), "place", to: &commit, killing: gone)
    case .unmake, .remake: break
    }
  }

  /// Makes sure that there is a set, as far as somebody sees.
  private mutating func openTags(_ commit: inout Commit, _ seen: Set<Int>) {
    let seen = seen.union(commit.facts)
    let there = facts(commit.author, commit.record, "tags").filter(seen.contains)
    if !there.contains(where: { facts[$0].kind == .set }) { add(.set, "tags", to: &commit) }
  }

  /// Makes sure that there is a nested struct, as far as somebody sees.
  private mutating func openPlace(_ commit: inout Commit, _ seen: Set<Int>) {
    let (side, record) = (commit.author, commit.record)
    let seen = seen.union(commit.facts)
    let there = facts(side, record, "place").filter(seen.contains)
    if let winner = winner(there), facts[winner].kind == .object { return }
    let gone = there + beneath(side, record).filter(seen.contains)
    add(.object, "place", to: &commit, killing: gone)
  }

  private mutating func write(
    _ place: Leaf.Spot, _ commit: inout Commit, at time: Int, _ seen: Set<Int>
  ) {
    let (side, record) = (commit.author, commit.record)
    for (path, value) in place.values {
      let gone = facts(side, record, path).filter(seen.contains)
      add(.value(value), path, to: &commit, at: time, killing: gone)
    }
  }
}

extension Leaf.Spot {
  /// The fields that are there.
  var values: [(path: String, value: Document.Value)] {
    var values: [(path: String, value: Document.Value)] = [("place.city", .string(city))]
    if let zip { values.append(("place.zip", .int(Int64(zip)))) }
    return values
  }
}
