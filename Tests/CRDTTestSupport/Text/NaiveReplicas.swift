package import Toolkit

/// Some replicas of the naive sequence, which a schedule drives.
package struct NaiveReplicas: Sendable {
  /// What a step did, for those who repeat it elsewhere.
  package enum Change: Hashable, Sendable {
    case insert([NaiveSequence.Node])
    case delete([ElementID])
  }

  package private(set) var sequences: [NaiveSequence]
  private var counters: [UInt64]

  /// Creates empty replicas, with the names 1, 2, and so on.
  package init(count: Int) {
    sequences = Array(repeating: NaiveSequence(), count: count)
    counters = Array(repeating: 0, count: count)
  }

  /// Takes a step of a schedule; returns the local edit, if it was one.
  @discardableResult
  package mutating func apply(_ step: RandomTextSchedule.Step) -> Change? {
    switch step {
    case .insert(let who, let position, let text):
      let replica = who % sequences.count
      return insert(text, at: position % (sequences[replica].count + 1), by: replica)
    case .delete(let who, let position, let count):
      let replica = who % sequences.count
      let length = sequences[replica].count
      guard length > 0 else { return nil }
      let first = position % length
      return delete(first..<min(first + count, length), by: replica)
    case .merge(let who, let other):
      let source = sequences[other % sequences.count]
      sequences[who % sequences.count].merge(source)
      return nil
    }
  }

  /// Inserts a text before the visible element of an index; each scalar is an event.
  @discardableResult
  package mutating func insert(_ text: String, at index: Int, by replica: Int) -> Change {
    let made = sequences[replica].makeInserts(
      at: index, text, replica: UInt64(replica) + 1, firstCounter: counters[replica] + 1)
    counters[replica] += UInt64(made.count)
    for node in made { sequences[replica].insert(node) }
    return .insert(made)
  }

  /// Deletes visible elements, all by one event.
  @discardableResult
  package mutating func delete(_ range: Range<Int>, by replica: Int) -> Change {
    let ids = sequences[replica].visibleIDs(in: range)
    counters[replica] += 1
    for id in ids { sequences[replica].delete(id) }
    return .delete(ids)
  }

  /// Takes in an edit that another replica made.
  package mutating func receive(_ change: Change, at replica: Int) {
    switch change {
    case .insert(let nodes): for node in nodes { sequences[replica].insert(node) }
    case .delete(let ids): for id in ids { sequences[replica].delete(id) }
    }
  }
}
