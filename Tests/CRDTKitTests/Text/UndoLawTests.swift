import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

/// Undo stacks of several replicas beside a plain model of them, over random schedules.
@Suite("Undo of texts against a plain model")
struct UndoLawTests {
  private enum Step: Hashable {
    /// Replace up to `count` scalars from `position % (length + 1)` on.
    case replace(Int, position: Int, count: Int, String, continuing: Bool)
    case undo(Int)
    case redo(Int)
    case merge(Int, from: Int)

    init(using random: inout SeededGenerator) {
      let (replica, other) = (random.below(3), random.below(3))
      switch random.below(10) {
      case 0..<3:
        let text = ["", "", "x", "é", "漢\n", "👍"].randomElement(using: &random) ?? ""
        self = .replace(
          replica, position: random.below(8), count: random.below(6), text,
          continuing: random.below(4) == 0)
      case 3..<6: self = .undo(replica)
      case 6: self = .redo(replica)
      default: self = .merge(replica, from: other)
      }
    }

    var replica: Int {
      switch self {
      case .replace(let replica, _, _, _, _), .undo(let replica), .redo(let replica),
        .merge(let replica, _):
        replica
      }
    }
  }

  /// A replica and its model.
  private struct Site {
    var text = ReplicatedText()
    var stack: UndoStack
    var model: UndoModel
    /// Whether the last step may be continued.
    var canContinue = false

    init(_ replica: UInt64) {
      stack = UndoStack(for: ReplicaID(replica))
      model = UndoModel(replica: replica)
    }

    mutating func replace(_ position: Int, _ count: Int, _ string: String, _ continuing: Bool) {
      let length = text.count(in: .unicodeScalars)
      let start = position % (length + 1)
      let range = start..<min(start + count, length)
      stack.edit(&text, continuing: continuing) {
        let lower = $0.text.index(range.lowerBound, in: .unicodeScalars)
        let upper = $0.text.index(range.upperBound, in: .unicodeScalars)
        $0.replaceSubrange(lower..<upper, with: string)
      }
      model.replace(range, with: string, continuing: continuing && canContinue)
      if !range.isEmpty || !string.isEmpty { canContinue = true }
    }

    mutating func undo() {
      stack.undo(in: &text)
      model.undo()
      canContinue = false
    }

    mutating func redo() {
      stack.redo(in: &text)
      model.redo()
      canContinue = false
    }
  }

  /// An anchor, and the element of the model that it should keep to.
  private struct Kept {
    var anchor: ReplicatedText.Anchor
    var element: ElementID
  }

  @Test("each replica shows what the model shows, and anchors are at what was put back")
  func schedules() {
    for seed in seeds(24, long: 10_000) {
      var random = SeededGenerator(seed: seed)
      let steps = (0..<random.below(40) + 5).map { _ in Step(using: &random) }
      if let problem = shrunkenFailure(of: steps, seed: seed, failure) {
        Issue.record("\(problem)")
        return
      }
    }
  }

  private func failure(of steps: [Step]) -> String? {
    var sites = (1...3).map { Site($0) }
    sites[0].replace(0, 0, "some words", false)
    for place in 1...2 { merge(sites[0], into: &sites[place]) }
    var kept: [Kept] = []
    for (number, step) in steps.enumerated() {
      let acting = step.replica
      act(step, on: &sites)
      let site = sites[acting]
      kept += made(in: site, number)
      if let problem = difference(site, kept) { return "step \(number), \(step): \(problem)" }
    }
    for _ in 0...1 {
      for place in sites.indices {
        for other in sites { merge(other, into: &sites[place]) }
      }
    }
    for site in sites {
      if site.text.encoded() != sites[0].text.encoded() { return "other bytes" }
      if site.text.contentDigest != sites[0].text.contentDigest { return "other digest" }
      if let problem = difference(site, kept) { return "in the end: \(problem)" }
    }
    return nil
  }

  private func merge(_ other: Site, into site: inout Site) {
    site.text.merge(other.text)
    site.model.merge(other.model)
  }

  private func act(_ step: Step, on sites: inout [Site]) {
    switch step {
    case .replace(let acting, let position, let count, let string, let continuing):
      sites[acting].replace(position, count, string, continuing)
    case .undo(let acting): sites[acting].undo()
    case .redo(let acting): sites[acting].redo()
    case .merge(let acting, let other):
      let (source, text) = (sites[other], sites[acting].text)
      do {
        let delta = source.text.delta(since: text.version)
        switch (acting + other + Int(text.version.count)) % 3 {
        case 0: try sites[acting].text.apply(decoding: delta.encoded())
        case 1: try sites[acting].text.merge(decoding: source.text.encoded())
        default: sites[acting].text.merge(source.text)
        }
      } catch {
        Issue.record(error)
      }
      sites[acting].model.merge(source.model)
    }
  }

  /// An anchor at a character of a text.
  private func made(in site: Site, _ number: Int) -> [Kept] {
    let count = site.text.count(in: .unicodeScalars)
    guard count > 0, count == site.model.sequence.count, number % 3 == 0 else { return [] }
    let place = number * 7 % count
    let ids = site.model.sequence.visibleIDs(in: place..<place + 1)
    let (start, end) = (
      site.text.index(place, in: .unicodeScalars), site.text.index(place + 1, in: .unicodeScalars)
    )
    return ids.map {
      Kept(
        anchor: number % 2 == 0
          ? site.text.anchor(at: start, .before) : site.text.anchor(at: end, .after),
        element: $0)
    }
  }

  private func difference(_ site: Site, _ kept: [Kept]) -> String? {
    site.text._table.checkEveryInvariant()
    guard let decoded = try? ReplicatedText(decoding: site.text.encoded()) else {
      return "not decoded"
    }
    if decoded != site.text || decoded.contentDigest != site.text.contentDigest {
      return "not equal after decoding"
    }
    if site.stack.canUndo != site.model.canUndo { return "can undo: \(site.stack.canUndo)" }
    if site.stack.canRedo != site.model.canRedo { return "can redo: \(site.stack.canRedo)" }
    for text in [site.text, decoded] {
      let order = site.model.sequence.elements.map {
        "\($0.id.replica):\($0.id.counter)\($0.isDead ? "-" : "")"
      }
      let found = text._table.orderedElements.map {
        "\($0.dot.replica.rawValue):\($0.dot.counter)\($0.isDead ? "-" : "")"
      }
      if found != order { return "\(found) instead of \(order)" }
      if String(text) != site.model.sequence.text { return "\([String(text)])" }
      for anchor in kept {
        if let problem = misplaced(anchor, in: text, site.model) { return problem }
      }
    }
    return nil
  }

  private func misplaced(_ kept: Kept, in text: ReplicatedText, _ model: UndoModel) -> String? {
    let found = text.index(of: kept.anchor).map { text.offset(of: $0, in: .unicodeScalars) }
    guard model.sequence.node(kept.element) != nil else {
      return found == nil ? nil : "\(kept) at \(found ?? -1), which was never seen"
    }
    let element = model.representative(
      of: kept.element, isLast: kept.anchor.side == .after)
    var expected = 0
    for node in model.sequence.elements {
      if node.id == element {
        if kept.anchor.side == .after, !node.isDead { expected += 1 }
        break
      }
      if !node.isDead { expected += 1 }
    }
    return found == expected ? nil : "\(kept) at \(found ?? -1) instead of \(expected)"
  }
}
