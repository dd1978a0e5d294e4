import CRDTKit
import CRDTTestSupport
import Testing
import Toolkit

/// Lists beside the naive list, over random schedules of changes and merges.
@Suite("Lists against a naive list")
struct ListLawTests {
  private typealias List = ReplicatedList<MVRegister<String>>

  @Test("each replica shows what the naive list shows, however changes arrive")
  func schedules() {
    for seed in seeds(80, long: 5_000) { check(RandomListSchedule(seed: seed)) }
  }

  @Test("and so do longer lists")
  func longer() {
    for seed in seeds(3, long: 100) {
      check(RandomListSchedule(seed: 1_000_000 + seed, stepCounts: 150...250))
    }
  }

  private func check(_ schedule: RandomListSchedule) {
    if let problem = schedule.leastFailure(failure(of:)) { Issue.record("\(problem)") }
  }

  /// Returns what goes wrong in a schedule.
  private func failure(of schedule: RandomListSchedule) -> String? {
    var lists = [List](repeating: List(), count: schedule.replicaCount)
    var models = [NaiveList](repeating: NaiveList(), count: schedule.replicaCount)
    for (number, step) in schedule.steps.enumerated() {
      let acting = apply(step, number, to: &lists, &models)
      if let problem = difference(lists[acting], models[acting]) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for place in lists.indices {
      for other in lists.indices {
        lists[place].merge(lists[other])
        models[place].merge(models[other])
      }
    }
    for place in lists.indices {
      for other in lists.indices { lists[place].merge(lists[other]) }
      if lists[place].encoded() != lists[0].encoded() { return "other bytes at \(place)" }
      if lists[place].contentDigest != lists[0].contentDigest { return "other digest" }
    }
    return difference(lists[0], models[schedule.replicaCount - 1])
  }

  /// Applies a step; returns the replica that acted.
  private func apply(
    _ step: RandomListSchedule.Step, _ number: Int, to lists: inout [List],
    _ models: inout [NaiveList]
  ) -> Int {
    switch step {
    case .insert(let who, let position, let values):
      let (place, replica) = replica(who, of: lists)
      let index = position % (lists[place].count + 1)
      change(&lists[place], number, by: replica) { $0.insert(contentsOf: values, at: index) }
      models[place].insert(values, at: index, by: replica.rawValue)
      return place
    case .replace(let who, let position, let value):
      let (place, replica) = replica(who, of: lists)
      guard !lists[place].isEmpty else { return place }
      let index = position % lists[place].count
      change(&lists[place], number, by: replica) { $0.replace(at: index, with: value) }
      models[place].replace(at: index, with: value, by: replica.rawValue)
      return place
    case .move(let who, let from, let to):
      let (place, replica) = replica(who, of: lists)
      guard !lists[place].isEmpty else { return place }
      let (from, to) = (from % lists[place].count, to % lists[place].count)
      change(&lists[place], number, by: replica) { $0.move(from: from, to: to) }
      if from != to {
        models[place].move([from], before: to < from ? to : to + 1, by: replica.rawValue)
      }
      return place
    case .moveSome(let who, let position, let count, let to):
      let (place, replica) = replica(who, of: lists)
      guard !lists[place].isEmpty else { return place }
      let all = stride(from: position % lists[place].count, to: lists[place].count, by: 2)
      let sources = Array(all.prefix(count))
      let target = to % (lists[place].count + 1)
      change(&lists[place], number, by: replica) {
        $0.move(fromOffsets: sources.reversed(), toOffset: target)
      }
      if sources.count > 1 || !(sources[0]...sources[0] + 1 ~= target) {
        models[place].move(sources, before: target, by: replica.rawValue)
      }
      return place
    case .remove(let who, let position, let count):
      let (place, replica) = replica(who, of: lists)
      guard !lists[place].isEmpty else { return place }
      let first = position % lists[place].count
      let range = first..<min(first + count, lists[place].count)
      change(&lists[place], number, by: replica) { $0.removeSubrange(range) }
      models[place].remove(range, by: replica.rawValue)
      return place
    case .merge(let who, let from):
      let place = who % lists.count
      take(lists[from % lists.count], number, into: &lists[place])
      models[place].merge(models[from % models.count])
      return place
    }
  }

  private func replica(_ who: Int, of lists: [List]) -> (place: Int, replica: ReplicaID) {
    (who % lists.count, ReplicaID(UInt64(who % lists.count) + 1))
  }

  /// Changes a list, most often as a copy would that receives the delta of the edit.
  private func change(
    _ list: inout List, _ number: Int, by replica: ReplicaID,
    _ body: (inout Editor<List>) -> Void
  ) {
    var copy = list
    let delta = list.edit(by: replica, body)
    guard number % 3 == 0 else { return }
    do {
      try copy.apply(delta)
      if copy != list { Issue.record("the delta of an edit gives another list") }
      list = copy
    } catch {
      Issue.record(error)
    }
  }

  /// Merges a list by one of the ways in which changes arrive.
  private func take(_ other: List, _ number: Int, into list: inout List) {
    do {
      switch number % 5 {
      case 0: list.merge(other)
      case 1: try list.apply(other.delta(since: list.version))
      case 2: try list.merge(decoding: other.encoded())
      case 3: try list.apply(decoding: other.delta(since: list.version).encoded())
      default:
        var joined = try List(decoding: other.encoded())
        joined.merge(list)
        list = joined
      }
    } catch {
      Issue.record(error)
    }
  }

  /// Returns how a list differs from the model; also after a round trip through bytes, which
  /// makes its order anew.
  private func difference(_ list: List, _ model: NaiveList) -> String? {
    list._table.checkEveryInvariant()
    let bytes = list.encoded()
    guard let decoded = try? List(decoding: bytes) else { return "not decoded" }
    if decoded.encoded() != bytes { return "other bytes after decoding" }
    if decoded != list { return "not equal after decoding" }
    if decoded.contentDigest != list.contentDigest { return "other digest after decoding" }
    for list in [list, decoded] {
      if let problem = reading(of: list, model) { return problem }
    }
    return nil
  }

  private func reading(of list: List, _ model: NaiveList) -> String? {
    let expected = model.elements
    let ids = expected.map { ListElementID(Dot(ReplicaID($0.id.replica), $0.id.counter)) }
    if list.ids != ids { return "\(list.ids) instead of \(ids)" }
    if Set(list.ids).count != list.ids.count { return "an element stands at two places" }
    if list.count != ids.count { return "\(list.count) elements, not \(ids.count)" }
    for (index, element) in expected.enumerated() {
      if list[index].values != element.values { return "\(list[index]), not \(element.values)" }
      if list.id(at: index) != ids[index] { return "\(list.id(at: index)) at \(index)" }
      if list.index(of: ids[index]) != index { return "\(ids[index]) is not at \(index)" }
      if list[id: ids[index]]?.values != element.values { return "another value by identity" }
    }
    if list.map(\.values) != expected.map(\.values) { return "other values by iterating" }
    if list.values != expected.compactMap(\.values.first) { return "other plain values" }
    return nil
  }
}
