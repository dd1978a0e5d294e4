import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

/// Checks the model against the definition, the figures of the paper, and itself.
struct NaiveSequenceTests {
  private typealias Node = NaiveSequence.Node

  @Test func runsAndEditsInOneReplica() {
    var replicas = NaiveReplicas(count: 1)
    replicas.insert("wold", at: 0, by: 0)
    replicas.insert("r", at: 2, by: 0)
    replicas.insert("👍漢\n", at: 0, by: 0)
    replicas.delete(1..<3, by: 0)
    replicas.insert("é", at: 6, by: 0)
    #expect(replicas.sequences[0].text == "👍worldé")
    #expect(replicas.sequences[0].elements.count == 9)
  }

  /// Figures 6 and 7 of the paper: between A and B, X was inserted by one who saw A and C
  /// only, and Y by one who saw A and B.
  @Test(arguments: [false, true]) func ordersAsTheFiguresDo(isXFirst: Bool) {
    let a = Node(id: ElementID(replica: 1, counter: 1), scalar: "A", parent: nil, side: .right)
    let b = Node(id: ElementID(replica: 2, counter: 1), scalar: "B", parent: nil, side: .right)
    let c = Node(id: ElementID(replica: 3, counter: 1), scalar: "C", parent: nil, side: .right)
    let names: [UInt64] = isXFirst ? [4, 5] : [5, 4]
    let x = sequence([a, c]).makeInsert(at: 1, "X", replica: names[0], counter: 1)
    let y = sequence([a, b]).makeInsert(at: 1, "Y", replica: names[1], counter: 1)
    #expect(sequence([a, b, c, x]).text == "AXBC")
    let both = sequence([a, b, c, x, y])
    #expect(both.text == "AXYBC")
    #expect(both.interleaving == nil)
    #expect(sequence([b, c, a, y, x]).elements == both.elements)
  }

  @Test(arguments: [false, true]) func keepsRunsApart(isBackward: Bool) {
    var replicas = NaiveReplicas(count: 3)
    replicas.insert("()", at: 0, by: 0)
    for other in 1...2 { replicas.apply(.merge(other, from: 0)) }
    for (replica, text) in ["abcd", "ijkl", "wxyz"].enumerated() {
      for (offset, scalar) in text.unicodeScalars.enumerated() {
        replicas.insert(String(scalar), at: isBackward ? 1 : 1 + offset, by: replica)
      }
    }
    for other in 1...2 { replicas.apply(.merge(0, from: other)) }
    #expect(replicas.sequences[0].text == (isBackward ? "(dcbalkjizyxw)" : "(abcdijklwxyz)"))
  }

  /// All histories of a few elements, whoever made them, having seen whatever.
  @Test func followsTheDefinitionInAllSmallHistories() {
    for names in permutations(of: [1, 2, 3, 4]) {
      var count = 0
      forEveryHistory(names: names) { nodes in
        count += 1
        expectDefinition(sequence(nodes))
      }
      #expect(count == 127, "of \(names)")
    }
  }

  @Test func followsTheDefinitionInRandomHistories() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let names = Array(1...UInt64.random(in: 4...7, using: &random)).shuffled(using: &random)
      var nodes: [Node] = []
      for name in names {
        let options = nextNodes(after: nodes, name: name)
        guard let node = options.randomElement(using: &random) else { continue }
        nodes.append(node)
      }
      expectDefinition(sequence(nodes))
    }
  }

  @Test(arguments: 0..<UInt64(60)) func keepsTheLaws(seed: UInt64) {
    let schedule = RandomTextSchedule(seed: seed)
    if let reason = brokenLaw(schedule) {
      let least = schedule.shrunk { brokenLaw($0) != nil }
      Issue.record("\(reason) \(least)")
    }
  }

  private enum Shape: CaseIterable {
    case left
    case right
    case alternating
  }

  @Test(arguments: Shape.allCases) private func isNotDeepOnTheStack(shape: Shape) {
    var sequence = NaiveSequence()
    var previous: ElementID?
    for counter in 0..<UInt64(100_000) {
      let isLeft = previous != nil && (shape == .left || shape == .alternating && counter % 2 == 1)
      let id = ElementID(replica: 1, counter: counter)
      sequence.insert(Node(id: id, scalar: "a", parent: previous, side: isLeft ? .left : .right))
      previous = id
    }
    #expect(sequence.count == 100_000)
    let root = Node(
      id: ElementID(replica: 0, counter: 0), scalar: "b", parent: nil, side: .right)
    sequence.insert(root)
    let first = sequence.makeInsert(at: 0, "c", replica: 2, counter: 0)
    sequence.insert(first)
    #expect(sequence.text.hasPrefix("cba"))
  }

  @Test func shrinksToTheLeast() {
    let schedule = RandomTextSchedule(seed: 5, stepCounts: 60...60)
    #expect(schedule.steps.count == 60)
    #expect(schedule == RandomTextSchedule(seed: 5, stepCounts: 60...60))
    let least = schedule.shrunk { shorter in
      shorter.steps.filter { if case .merge = $0 { true } else { false } }.count >= 3
    }
    #expect(least.steps.count == 3)
    #expect(shrink([1, 2, 3]) { _ in true } == [])
  }
}

extension NaiveSequenceTests {
  private func sequence(_ nodes: [Node]) -> NaiveSequence {
    var sequence = NaiveSequence()
    for node in nodes { sequence.insert(node) }
    return sequence
  }

  private func expectDefinition(_ sequence: NaiveSequence) {
    #expect(sequence.ordersByDefinition == [sequence.elements.map(\.id)])
    #expect(sequence.interleaving == nil)
  }

  /// The nodes that can be inserted by one who saw some of the others, each once.
  private func nextNodes(after nodes: [Node], name: UInt64) -> [Node] {
    var found: [Node] = []
    for state in 0..<(1 << nodes.count) {
      let seen = nodes.indices.filter { state & 1 << $0 != 0 }.map { nodes[$0] }
      let names = Set(seen.map(\.id))
      let isClosed = seen.allSatisfy { node in
        [node.parent, node.rightOrigin].allSatisfy { $0.map(names.contains) ?? true }
      }
      guard isClosed else { continue }
      let author = sequence(seen)
      for index in 0...seen.count {
        let node = author.makeInsert(at: index, "a", replica: name, counter: 1)
        if !found.contains(node) { found.append(node) }
      }
    }
    return found
  }

  private func forEveryHistory(names: [UInt64], _ body: ([Node]) -> Void) {
    var histories: [[Node]] = [[]]
    for name in names {
      histories = histories.flatMap { nodes in
        nextNodes(after: nodes, name: name).map { nodes + [$0] }
      }
    }
    for history in histories { body(history) }
  }

  private func permutations(of names: [UInt64]) -> [[UInt64]] {
    guard !names.isEmpty else { return [[]] }
    return names.flatMap { name in
      permutations(of: names.filter { $0 != name }).map { [name] + $0 }
    }
  }

  /// Plays a schedule; says which law doesn't hold.
  private func brokenLaw(_ schedule: RandomTextSchedule) -> String? {
    var replicas = NaiveReplicas(count: schedule.replicaCount)
    for step in schedule.steps {
      let before = replicas
      let change = replicas.apply(step)
      if let reason = brokenEdit(step, change, from: before, to: replicas) { return reason }
    }
    var merged = NaiveSequence()
    for sequence in replicas.sequences { merged.merge(sequence) }
    var reversed = NaiveSequence()
    for sequence in replicas.sequences.reversed() { reversed.merge(sequence) }
    if merged.elements != reversed.elements { return "Merges don't commute." }
    if traversal(of: merged) != merged.elements { return "The order isn't the tree's." }
    if traversalFromTheEnd(of: merged) != merged.elements.map(\.id) {
      return "A right origin doesn't follow all descendants of the parent."
    }
    if let interleaving = merged.interleaving { return interleaving }
    for sequence in replicas.sequences {
      let known = Set(sequence.nodes.map(\.id))
      if merged.elements.map(\.id).filter(known.contains) != sequence.elements.map(\.id) {
        return "A merge changes the order."
      }
    }
    var random = SeededGenerator(seed: schedule.seed)
    let shuffled = sequence(causalShuffle(of: merged.nodes, using: &random))
    return shuffled.elements == merged.elements && shuffled.text == merged.text
      ? nil : "The order of arrival counts."
  }

  /// Whether a local edit did what a plain array of scalars would do.
  private func brokenEdit(
    _ step: RandomTextSchedule.Step, _ change: NaiveReplicas.Change?,
    from before: NaiveReplicas, to after: NaiveReplicas
  ) -> String? {
    switch (step, change) {
    case (.insert(let who, let position, let text), .insert(let nodes)):
      let replica = who % before.sequences.count
      var scalars = Array(before.sequences[replica].text.unicodeScalars)
      let index = position % (scalars.count + 1)
      scalars.insert(contentsOf: text.unicodeScalars, at: index)
      if Array(after.sequences[replica].text.unicodeScalars) != scalars {
        return "An insert goes elsewhere."
      }
      var single = before.sequences[replica]
      for (offset, node) in nodes.enumerated() {
        let made = single.makeInsert(
          at: index + offset, node.scalar, replica: node.id.replica, counter: node.id.counter)
        if made != node { return "A run differs from single inserts." }
        single.insert(made)
      }
    case (.delete(let who, let position, let count), .delete(let ids)):
      let replica = who % before.sequences.count
      var scalars = Array(before.sequences[replica].text.unicodeScalars)
      let index = position % scalars.count
      scalars.removeSubrange(index..<min(index + count, scalars.count))
      if Array(after.sequences[replica].text.unicodeScalars) != scalars || ids.isEmpty {
        return "A delete deletes something else."
      }
    default: break
    }
    return nil
  }

  /// The tree traversed as defined, its siblings sorted by positions in the final order.
  private func traversal(of sequence: NaiveSequence) -> [Node] {
    let elements = sequence.elements
    let positions = Dictionary(uniqueKeysWithValues: zip(elements.map(\.id), elements.indices))
    let children = Dictionary(grouping: elements, by: \.parent)
    func sorted(_ side: NaiveSequence.Side, of parent: ElementID?) -> [Node] {
      children[parent, default: []].filter { $0.side == side }.sorted { a, b in
        let atA = a.rightOrigin.flatMap { positions[$0] } ?? elements.count
        let atB = b.rightOrigin.flatMap { positions[$0] } ?? elements.count
        return side == .right && atA != atB ? atA > atB : a.id < b.id
      }
    }
    var result: [Node] = []
    var waiting = sorted(.right, of: nil).reversed().map { (node: $0, isOpen: false) }
    while let (node, isOpen) = waiting.popLast() {
      if isOpen {
        result.append(node)
        waiting += sorted(.right, of: node.id).reversed().map { ($0, false) }
      } else {
        waiting.append((node, true))
        waiting += sorted(.left, of: node.id).reversed().map { ($0, false) }
      }
    }
    return result
  }

  /// The order, found without a list: traversed from its end.
  ///
  /// The right origin of a right child follows all descendants of the parent. So it has been
  /// met, and has its number, when the parent's right children are sorted.
  private func traversalFromTheEnd(of sequence: NaiveSequence) -> [ElementID]? {
    let children = Dictionary(grouping: sequence.nodes, by: \.parent)
    var numbers: [ElementID: Int] = [:]
    var result: [ElementID] = []
    var waiting: [(id: ElementID?, isOpen: Bool)] = [(nil, false)]
    while let (id, isOpen) = waiting.popLast() {
      let all = children[id, default: []]
      if isOpen {
        guard let id else { break }
        numbers[id] = result.count
        result.append(id)
        waiting += all.filter { $0.side == .left }.map(\.id).sorted().map { ($0, false) }
      } else {
        waiting.append((id, true))
        let right = all.filter { $0.side == .right }
        let keys = right.map { $0.rightOrigin.map { numbers[$0] } ?? -1 }
        if keys.contains(nil) { return nil }
        waiting += zip(keys.map { $0 ?? -1 }, right.map(\.id)).sorted(by: <).map {
          ($0.1, false)
        }
      }
    }
    return result.reversed()
  }

  /// The nodes in another order of arrival that is possible.
  private func causalShuffle(of nodes: [Node], using random: inout SeededGenerator) -> [Node] {
    var shuffled: [Node] = []
    var arrived: Set<ElementID> = []
    var waiting = nodes.shuffled(using: &random)
    while !waiting.isEmpty {
      let ready = waiting.filter { node in
        [node.parent, node.rightOrigin].allSatisfy { $0.map(arrived.contains) ?? true }
      }
      guard let next = ready.randomElement(using: &random) else { return [] }
      shuffled.append(next)
      arrived.insert(next.id)
      waiting.removeAll { $0.id == next.id }
    }
    return shuffled
  }
}
