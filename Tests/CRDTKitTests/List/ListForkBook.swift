import CRDTKit
import CRDTTestSupport
import Testing

/// The copies, and what was written in any of them.
///
/// A value that begins with `~` is written in several copies, and its element is never
/// replaced or removed; all other values are different.
struct ListForkBook {
  typealias List = ReplicatedList<MVRegister<String>>

  let phone = ReplicaID(1)
  let schedule: RandomListSchedule
  var copies: [List]
  /// How often each copy has inserted a value that others also insert.
  var repeated: [[String: Int]]
  /// The element of each other value, by the value that it was inserted with.
  var roots: [String: String] = [:]
  var replaced: Set<String> = []
  var removed: Set<String> = []
  var moved: Set<String> = []
  /// Pairs of values of which the second was inserted after the first.
  var pairs: [(before: String, after: String)] = []
  /// The most events that a copy made under the common name.
  var events: [UInt64]

  init(_ schedule: RandomListSchedule) {
    self.schedule = schedule
    var base = List()
    let count = [0, 3, 40][Int(schedule.seed % 3)]
    base.append(contentsOf: (0..<count).map { "base \($0)" }, by: phone)
    let copyCount = schedule.seed % 2 == 0 ? schedule.replicaCount : 2
    copies = [List](repeating: base, count: copyCount)
    repeated = [[String: Int]](repeating: [:], count: copyCount)
    events = [UInt64](repeating: 0, count: copyCount)
    for value in base.values { roots[value] = value }
  }

  /// Whether there are only two lines: two copies, which meet in the end.
  ///
  /// If there are more, what two of them have may get two names, and one of these may have no
  /// value; copies that were read anew from bytes don't know of it.
  var hasTwoLines: Bool { schedule.seed % 2 == 1 }

  /// The values that must be there, besides those that several copies insert.
  var expected: Set<String> {
    Set(roots.keys.filter { !replaced.contains($0) && !removed.contains(root($0)) })
  }

  func root(_ value: String) -> String { roots[value] ?? value }
}

extension ListForkBook {
  /// Returns what goes wrong.
  mutating func failure() -> String? {
    for (number, step) in schedule.steps.enumerated() {
      apply(step, number)
      guard number % 16 == 15 else { continue }
      let copy = copies[number / 16 % copies.count]
      if let problem = problem(of: copy) { return "step \(number): \(problem)" }
    }
    for round in 0..<3 {
      for here in copies.indices {
        for there in copies.indices { take(there, into: here, round + here) }
      }
    }
    if let problem = problem(of: copies[0]) { return problem }
    let (bytes, values, ids) = (copies[0].encoded(), copies[0].values, copies[0].ids)
    for copy in copies.dropFirst() {
      if copy.values != values || copy.ids != ids { return "\(copy.values) and \(values)" }
      if copy.encoded() != bytes { return "other bytes" }
    }
    guard let decoded = try? List(decoding: bytes) else { return "not decoded" }
    if decoded.values != values || decoded.ids != ids { return "decoded otherwise" }
    return problemOfMerged(copies[0])
  }

  private func problem(of list: List) -> String? {
    list._table.checkEveryInvariant()
    if Set(list.ids).count != list.count { return "an element stands at two places" }
    for (id, element) in zip(list.ids, list) {
      if hasTwoLines, list._table.dots(of: ListRowKey(id, NoPayload())).isEmpty {
        return "the element \(id) has no value of its own"
      }
      if element.values.count > 1, element.values.contains(where: { $0.hasPrefix("~") }) {
        return "an element with the values of several: \(element.values)"
      }
      if Set(element.values.compactMap { roots[$0] }).count > 1 {
        return "an element with the values of several: \(element.values)"
      }
    }
    return nil
  }

  /// Returns how the list, when all was merged, differs from what was written.
  private func problemOfMerged(_ list: List) -> String? {
    var counts: [String: Int] = [:]
    for value in list.flatMap(\.values) { counts[value, default: 0] += 1 }
    // What both lines have may be there twice if they made more than 128 events, and so what
    // only one of them has removed.
    let isExact = hasTwoLines && events.reduce(0, +) <= 128
    for value in expected where counts[value] == nil { return "\(value) is lost: \(list)" }
    for value in Set(repeated.flatMap(\.keys)) {
      let most = repeated.map { $0[value] ?? 0 }
      let count = counts[value] ?? 0
      if count < most.max() ?? 0 { return "\(value) is there \(count) times: \(list)" }
      if isExact, count > most.reduce(0, +) { return "\(value) is there \(count) times: \(list)" }
    }
    guard isExact else { return nil }
    let others = counts.filter { !$0.key.hasPrefix("~") }
    if let twice = others.first(where: { $0.value > 1 }) { return "\(twice.key) is there twice" }
    if Set(others.keys) != expected { return "\(list) instead of \(expected)" }
    var places: [String: Int] = [:]
    for (place, element) in list.enumerated() {
      for value in element.values { places[value] = place }
    }
    for (before, after) in pairs where !moved.contains(before) && !moved.contains(after) {
      if let left = places[before], let right = places[after], left >= right {
        return "\(after) isn't after \(before): \(list)"
      }
    }
    return nil
  }

  private mutating func apply(_ step: RandomListSchedule.Step, _ number: Int) {
    switch step {
    case .insert(let who, let position, let values):
      let copy = who % copies.count
      let index = position % (copies[copy].count + 1)
      let values = values.indices.map { place in
        (position >> place) % 3 == 0 ? values[place] : "~\(place)"
      }
      note(values, after: index, in: copy)
      if values.count == 1, number % 2 == 0 {
        write(in: copy, who) { $0.insert(values[0], at: index) }
      } else {
        write(in: copy, who) { $0.insert(contentsOf: values, at: index) }
      }
    case .replace(let who, let position, let value):
      let copy = who % copies.count
      guard let index = index(at: position, in: copy) else { return }
      let old = copies[copy][index].values
      roots[value] = root(old[0])
      if moved.contains(old[0]) { moved.insert(value) }
      replaced.formUnion(old)
      write(in: copy, who) { $0.replace(at: index, with: value) }
    case .move(let who, let from, let to):
      let copy = who % copies.count
      guard !copies[copy].isEmpty else { return }
      let (from, to) = (from % copies[copy].count, to % copies[copy].count)
      noteMoved(copies[copy][from].values)
      write(in: copy, who) { $0.move(from: from, to: to) }
    case .moveSome(let who, let position, let count, let to):
      let copy = who % copies.count
      guard !copies[copy].isEmpty else { return }
      let first = position % copies[copy].count
      let sources = stride(from: first, to: copies[copy].count, by: 2).prefix(count)
      let target = to % (copies[copy].count + 1)
      for source in sources { noteMoved(copies[copy][source].values) }
      write(in: copy, who) { $0.move(fromOffsets: Array(sources), toOffset: target) }
    case .remove(let who, let position, _):
      let copy = who % copies.count
      guard let index = index(at: position, in: copy) else { return }
      removed.insert(root(copies[copy][index].values[0]))
      write(in: copy, who) { $0.remove(at: index) }
    case .merge(let who, let from):
      if !hasTwoLines { take(from % copies.count, into: who % copies.count, number) }
    }
  }

  /// Returns the index of an element that may be replaced and removed.
  private func index(at position: Int, in copy: Int) -> Int? {
    guard !copies[copy].isEmpty else { return nil }
    let index = position % copies[copy].count
    return copies[copy][index].values.first?.hasPrefix("~") ?? true ? nil : index
  }

  private mutating func note(_ values: [String], after index: Int, in copy: Int) {
    var before = index == 0 ? "~" : copies[copy][index - 1].values.first ?? "~"
    for value in values {
      if value.hasPrefix("~") {
        repeated[copy][value, default: 0] += 1
      } else {
        roots[value] = value
        if !before.hasPrefix("~") { pairs.append((before, value)) }
      }
      before = value
    }
  }

  private mutating func noteMoved(_ values: [String]) {
    let elements = Set(values.map(root))
    moved.formUnion(roots.keys.filter { elements.contains(root($0)) })
  }

  private mutating func write(in copy: Int, _ who: Int, _ body: (inout Editor<List>) -> Void) {
    let isOwn = who / copies.count % 3 == 2
    let replica = isOwn ? ReplicaID(UInt64(copy) + 10) : phone
    let before = copies[copy].version[replica]
    copies[copy].edit(by: replica, body)
    if !isOwn { events[copy] += copies[copy].version[replica] - before }
  }

  private mutating func take(_ there: Int, into here: Int, _ number: Int) {
    let other = copies[there]
    do {
      switch hasTwoLines ? number % 4 : 3 {
      case 0: try copies[here].apply(mending: other.delta(since: [:]))
      case 1: copies[here].merge(try other.readBack())
      case 2: copies[here] = try copies[here].readBack().merging(other)
      default: copies[here].merge(other)
      }
    } catch {
      Issue.record(error)
    }
  }
}
