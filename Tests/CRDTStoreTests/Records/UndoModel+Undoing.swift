import CRDTKit
import CRDTStore

extension UndoModel {
  /// Takes a commit back where it was made; gives what that was, and which fields could not
  /// be taken back: `""` for the record.
  mutating func undo(_ commit: Commit) -> (undoing: Commit, left: Set<String>) {
    let (side, record) = (commit.author, commit.record)
    now += 1
    let nothing = Commit(verb: .update, record: record, author: side)
    switch commit.verb {
    case .create, .restore:
      let isOwn = contents(side, record).allSatisfy {
        facts[$0].author == side || commit.seen.contains($0) || facts[$0].kind == .set
      }
      guard isPresent(side, record), isOwn, !births(side, record).isDisjoint(with: commit.births)
      else { return (nothing, [""]) }
      now -= 1
      return (delete(record, by: side), [])
    case .delete:
      let deletions = deletions(side, record)
      guard !isPresent(side, record), !births(side, record).isEmpty, !deletions.isEmpty,
        commit.facts.isSuperset(of: deletions)
      else { return (nothing, [""]) }
      now -= 1
      return (restore(record, by: side), [])
    case .update:
      let fields = Set(commit.changes.map(\.field))
      guard isPresent(side, record) else { return (nothing, [""]) }
      guard !births(side, record).isDisjoint(with: commit.births) else { return (nothing, fields) }
      return undoUpdate(commit, nothing)
    }
  }

  private mutating func undoUpdate(
    _ commit: Commit, _ nothing: Commit
  ) -> (undoing: Commit, left: Set<String>) {
    let (side, record) = (commit.author, commit.record)
    var (undoing, left) = (nothing, Set<String>())
    for field in Set(commit.changes.map(\.field)).sorted() {
      let before = (self, undoing)
      if field == "place", let isDone = undoOpening(commit, &undoing) {
        if !isDone { left.insert(field) }
        continue
      }
      for change in commit.changes.reversed() where change.field == field {
        if !undo(change, of: commit, &undoing) { left.insert(field) }
      }
      if before.0.read(side, record)?.isReadable == true, read(side, record)?.isReadable == false {
        (self, undoing) = before
        left.insert(field)
      }
    }
    if !undoing.changes.isEmpty { kill(deletions(side, record), side) }
    undoing.births = births(side, record)
    undoing.parents = Set(facts(side, record, "place"))
    return (undoing, left)
  }

  /// Takes back one change; says whether it could.
  private mutating func undo(
    _ change: Change, of commit: Commit, _ undoing: inout Commit
  ) -> Bool {
    let (side, record) = (commit.author, commit.record)
    switch change {
    case .assign(let path, nil, let before?):
      // It was taken away, by an undo.
      if path.hasPrefix("place.") {
        guard hasPlace(side, record),
          !commit.parents.isDisjoint(with: facts(side, record, "place"))
        else { return false }
      }
      guard commit.time > 0 || facts(side, record, path).isEmpty else { return false }
      putBack(.value(before), path, of: commit, &undoing, at: commit.time)
      undoing.changes.append(.assign(path, before, before: nil))
    case .assign(let path, let value, let before):
      if path.hasPrefix("place."), !hasPlace(side, record) { return false }
      let own = facts(side, record, path).filter { isOwn($0, commit) }
      guard !own.isEmpty else { return false }
      note(own, of: commit, &undoing)
      take(own, &undoing)
      if let before { putBack(.value(before), path, of: commit, &undoing, at: commit.time) }
      undoing.changes.append(.assign(path, before, before: value))
    case .count(let amount):
      let own = facts(side, record, "likes").filter {
        isOwn($0, commit) && facts[$0].kind == .count(amount)
      }
      guard !own.isEmpty else { return false }
      add(.count(-amount), "likes", to: &undoing)
      undoing.changes.append(.count(-amount))
    case .insert(let tag):
      let own = facts(side, record, "tags").filter {
        isOwn($0, commit) && facts[$0].kind == .member(tag)
      }
      guard !own.isEmpty else { return false }
      take(own, &undoing)
      undoing.changes.append(.take(tag))
    case .take(let tag):
      let isThere = facts(side, record, "tags").contains { facts[$0].kind == .member(tag) }
      if isThere { return true }
      putBack(.member(tag), "tags", of: commit, &undoing)
      undoing.changes.append(.insert(tag))
    case .make(let place): return undoMaking(place, of: commit, &undoing)
    case .drop(let place):
      let own = facts(side, record, "place").filter { isOwn($0, commit) }
      if own.isEmpty { return false }
      note(own, of: commit, &undoing)
      take(own, &undoing)
      putBack(place, of: commit, &undoing, overNull: true)
    case .unmake(nil): return true
    case .unmake(let place?):
      guard commit.time > 0 || facts(side, record, "place").isEmpty else { return false }
      putBack(place, of: commit, &undoing, overNull: false)
    case .remake(let place, let overNull):
      let own = facts(side, record, "place").filter { isOwn($0, commit) }
      guard !own.isEmpty else { return false }
      let others = facts(side, record, "place").filter { !isOwn($0, commit) }
      let beneath = beneath(side, record)
      guard
        beneath.allSatisfy({ isOwn($0, commit) })
          || others.contains(where: { facts[$0].kind == .object })
      else { return false }
      note(own, of: commit, &undoing)
      take(own + beneath.filter { isOwn($0, commit) }, &undoing)
      if overNull { putBack(.value(.null), "place", of: commit, &undoing, at: commit.time) }
      undoing.changes.append(overNull ? .drop(place) : .unmake(place))
    }
    return true
  }

  private mutating func putBack(
    _ place: Leaf.Spot, of commit: Commit, _ undoing: inout Commit, overNull: Bool
  ) {
    let (side, record) = (commit.author, commit.record)
    putBack(.object, "place", of: commit, &undoing, at: commit.time)
    for (path, value) in place.values where facts(side, record, path).isEmpty {
      putBack(.value(value), path, of: commit, &undoing, at: commit.time)
    }
    undoing.changes.append(.remake(place, overNull: overNull))
  }

  /// A nested struct that a commit made around the fields that it wrote goes with everything
  /// in it, or not at all; `nil` if the fields are to be taken back one by one.
  private mutating func undoOpening(_ commit: Commit, _ undoing: inout Commit) -> Bool? {
    let (side, record) = (commit.author, commit.record)
    let isOpened = commit.changes.contains { change in
      if case .assign(let path, _, _) = change { path.hasPrefix("place.") } else { false }
    }
    let objects = facts(side, record, "place").filter { facts[$0].kind == .object }
    let own = objects.filter { isOwn($0, commit) }
    guard isOpened, !own.isEmpty else { return nil }
    let beneath = beneath(side, record)
    if own == objects, !beneath.allSatisfy({ isOwn($0, commit) }) { return false }
    let place = hasPlace(side, record) ? read(side, record)?.leaf.place : nil
    note(own, of: commit, &undoing)
    take(own, &undoing)
    guard own == objects else { return nil }
    take(beneath, &undoing)
    undoing.changes.append(.unmake(place))
    return true
  }

  /// A nested struct that was made goes whole, or not at all.
  private mutating func undoMaking(
    _ place: Leaf.Spot, of commit: Commit, _ undoing: inout Commit
  ) -> Bool {
    let (side, record) = (commit.author, commit.record)
    let objects = facts(side, record, "place").filter { facts[$0].kind == .object }
    let own = objects.filter { isOwn($0, commit) }
    let beneath = beneath(side, record)
    guard !own.isEmpty, own == objects else {
      // Another made one as well, which stays; of this one goes what is in it.
      guard hasPlace(side, record) else { return false }
      note(own, of: commit, &undoing)
      take(own, &undoing)
      var isWhole = true
      for (path, value) in place.values.reversed() {
        isWhole = undo(.assign(path, value, before: nil), of: commit, &undoing) && isWhole
      }
      return isWhole
    }
    guard beneath.allSatisfy({ isOwn($0, commit) }) else { return false }
    note(own, of: commit, &undoing)
    let isShown = hasPlace(side, record)
    take(own + beneath, &undoing)
    undoing.changes.append(.unmake(isShown ? place : nil))
    return true
  }

  /// Notes when what is taken away was written; what another undo has put back, when it was
  /// written first.
  private func note(_ numbers: [Int], of commit: Commit, _ undoing: inout Commit) {
    let times = numbers.map { number in
      commit.facts.contains(number) ? facts[number].time : facts[number].origin.time
    }
    undoing.time = max(undoing.time, times.max() ?? 0)
  }
}
