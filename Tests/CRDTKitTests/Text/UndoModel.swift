import CRDTKit
import Toolkit

/// A replica's text and undo by plain rules, with nothing that makes them fast: the model that
/// undo stacks are compared with.
///
/// It remembers for each element that was put back which one it stands for.
struct UndoModel {
  struct Step {
    var inserted: [ElementID] = []
    var removed: [ElementID] = []
  }

  let replica: UInt64
  private(set) var sequence = NaiveSequence()
  /// The elements that were put back, and those that they stand for.
  private var targets: [ElementID: ElementID] = [:]
  /// The last event before the next insertion.
  var counter: UInt64 = 0
  /// Whether a deletion takes an event; otherwise the counter is set before each insertion.
  private let countsDeletions: Bool
  private var done: [Step] = []
  private var undone: [Step] = []

  init(replica: UInt64, countsDeletions: Bool = true) {
    self.replica = replica
    self.countsDeletions = countsDeletions
  }

  var canUndo: Bool { !done.isEmpty }
  var canRedo: Bool { !undone.isEmpty }
}

extension UndoModel {
  /// Replaces visible elements, as one step or as a part of the last one.
  mutating func replace(_ range: Range<Int>, with text: String, continuing: Bool) {
    // It has another text than the replica if that is wrong.
    let range = range.clamped(to: 0..<sequence.count)
    var step = Step(removed: sequence.visibleIDs(in: range))
    delete(step.removed)
    let nodes = sequence.makeInserts(
      at: range.lowerBound, text, replica: replica, firstCounter: counter + 1)
    insert(nodes)
    step.inserted = nodes.map(\.id)
    guard !step.inserted.isEmpty || !step.removed.isEmpty else { return }
    undone = []
    if continuing, let last = done.popLast() {
      step.removed = last.removed + step.removed.filter { !last.inserted.contains($0) }
      step.inserted = last.inserted + step.inserted
    }
    done.append(step)
  }

  /// The last step that isn't undone, taken out of the steps to undo.
  mutating func popStep() -> Step? { done.popLast() }

  mutating func undo() {
    while let step = done.popLast() {
      guard let inverse = takeBack(step) else { continue }
      return undone.append(inverse)
    }
  }

  mutating func redo() {
    while let step = undone.popLast() {
      guard let inverse = takeBack(step) else { continue }
      return done.append(inverse)
    }
  }

  mutating func merge(_ other: UndoModel) {
    sequence.merge(other.sequence)
    targets.merge(other.targets) { mine, _ in mine }
  }

  /// Returns the element that an anchor at one keeps to: of several, the first or last one in
  /// the text.
  func representative(of id: ElementID, isLast: Bool) -> ElementID {
    func last(_ id: ElementID) -> ElementID { others(for: id).first.map(last) ?? id }
    let living = living(inPlaceOf: id)
    let inOrder = sequence.elements.map(\.id).filter(living.contains)
    return (isLast ? inOrder.last : inOrder.first) ?? last(id)
  }
}

extension UndoModel {
  private mutating func delete(_ ids: [ElementID]) {
    if countsDeletions, !ids.isEmpty { counter += 1 }
    for id in ids { sequence.delete(id) }
  }

  private mutating func insert(_ nodes: [NaiveSequence.Node]) {
    counter += UInt64(nodes.count)
    for node in nodes { sequence.insert(node) }
  }

  private func isLiving(_ id: ElementID) -> Bool { sequence.node(id)?.isDead == false }

  /// The elements that stand for one, the greatest first.
  private func others(for id: ElementID) -> [ElementID] {
    targets.filter { $0.value == id }.keys.sorted(by: >)
  }

  private func living(inPlaceOf id: ElementID) -> [ElementID] {
    isLiving(id) ? [id] : others(for: id).flatMap(living)
  }

  private func everStood(for id: ElementID) -> [ElementID] {
    others(for: id).flatMap { [$0] + everStood(for: $0) }
  }

  /// Takes a step back, and returns what that did; `nil` if there was nothing to do.
  mutating func takeBack(_ step: Step) -> Step? {
    let missing = step.removed.filter {
      living(inPlaceOf: $0).isEmpty && !everStood(for: $0).contains(where: step.removed.contains)
    }.sorted()
    var inverse = Step(removed: step.inserted.flatMap(living))
    delete(inverse.removed)
    var rest = missing[...]
    while let first = rest.first {
      let order = sequence.elements.map(\.id)
      guard let place = order.firstIndex(of: first) else { return nil }
      var run: [ElementID] = []
      while let next = rest.first, next == order.dropFirst(place + run.count).first,
        next.replica == first.replica, next.counter == first.counter + UInt64(run.count)
      {
        run.append(rest.removeFirst())
      }
      let nodes = sequence.makeInserts(
        run.compactMap { sequence.node($0)?.scalar }, replica: replica,
        firstCounter: counter + 1, between: place > 0 ? order[place - 1] : nil, and: first)
      insert(nodes)
      for (node, id) in zip(nodes, run) { targets[node.id] = id }
      inverse.inserted += nodes.map(\.id)
    }
    return inverse.inserted.isEmpty && inverse.removed.isEmpty ? nil : inverse
  }
}
