import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

@testable import CRDTKit

/// The undo of commits that have changed texts of records, beside a plain model.
@Suite("Undo of commits with texts against a plain model")
struct CommitUndoLawTests {
  private enum Step: Hashable {
    case replace(Int, [FieldPath: TextCommits.Replacement])
    /// Undo one of the commits that can be undone, an undo among them.
    case undo(Int, Int)
    case merge(Int, from: Int)

    init(using random: inout SeededGenerator) {
      let replica = random.below(3)
      switch random.below(8) {
      case 0..<2:
        var parts: [FieldPath: TextCommits.Replacement] = [:]
        for path in TextCommits.paths where parts.isEmpty || random.below(2) == 0 {
          let string = ["", "x", "é漢", "👍\nab"].randomElement(using: &random) ?? ""
          parts[path] = .init(
            position: random.below(8), count: random.below(6), string: string)
        }
        self = .replace(replica, parts)
      case 2..<5: self = .undo(replica, random.below(3))
      default: self = .merge(replica, from: random.below(3))
      }
    }

    var replica: Int {
      switch self {
      case .replace(let replica, _), .undo(let replica, _), .merge(let replica, _): replica
      }
    }
  }

  /// An anchor at a character, and the element of the model that it should keep to.
  private struct Kept {
    let path: FieldPath
    let anchor: ReplicatedText.Anchor
    let element: ElementID
  }

  @Test("each replica shows what the model shows, and anchors are at what was put back")
  func schedules() {
    for seed in seeds(24, long: 10_000) {
      var random = SeededGenerator(seed: seed)
      let steps = (0..<random.below(30) + 5).map { _ in Step(using: &random) }
      if let problem = shrunkenFailure(of: steps, seed: seed, failure) {
        Issue.record("\(problem)")
        return
      }
    }
  }

  private func failure(of steps: [Step]) -> String? {
    var sites = (1...3).map { TextCommits($0) }
    var commits: [[TextCommits.Commit]] = [[], [], []]
    let first = TextCommits.Replacement(position: 0, count: 0, string: "some words")
    _ = sites[0].replace(["body": first, "title": first], number: 0)
    for place in 1...2 { merge(sites[0], into: &sites[place], by: place) }
    var kept: [Kept] = []
    for (number, step) in steps.enumerated() {
      switch step {
      case .replace(let acting, let parts):
        commits[acting].append(sites[acting].replace(parts, number: Int64(number)))
      case .undo(let acting, let back):
        guard back < commits[acting].count else { continue }
        let commit = commits[acting].remove(at: commits[acting].count - 1 - back)
        let (done, problem) = sites[acting].undo(commit)
        if let problem { return "step \(number), \(step): \(problem)" }
        if !done.changes.isEmpty { commits[acting].append(done) }
      case .merge(let acting, let other): merge(sites[other], into: &sites[acting], by: number)
      }
      kept += made(in: sites[step.replica], number)
      if let problem = difference(sites[step.replica], kept) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for number in 0...1 {
      for place in sites.indices {
        for other in sites { merge(other, into: &sites[place], by: number) }
      }
    }
    for site in sites {
      if site.document.encoded() != sites[0].document.encoded() { return "other bytes" }
      if let problem = difference(site, kept) { return "in the end: \(problem)" }
    }
    return nil
  }

  private func merge(_ other: TextCommits, into site: inout TextCommits, by number: Int) {
    do {
      switch number % 3 {
      case 0: try site.document.apply(other.document.delta(since: site.document.version))
      case 1: try site.document.merge(decoding: other.document.encoded())
      default: site.document.merge(other.document)
      }
    } catch {
      Issue.record(error)
    }
    for path in TextCommits.paths {
      if let model = other.models[path] { site.models[path]?.merge(model) }
    }
  }

  /// Anchors at a character of each text.
  private func made(in site: TextCommits, _ number: Int) -> [Kept] {
    TextCommits.paths.flatMap { path -> [Kept] in
      guard let text = site.text(path), let model = site.models[path],
        site.problem(at: path) == nil, model.sequence.count > 0
      else { return [] }
      let place = number * 7 % model.sequence.count
      let (start, end) = (
        text.index(place, in: .unicodeScalars), text.index(place + 1, in: .unicodeScalars)
      )
      return model.sequence.visibleIDs(in: place..<place + 1).flatMap {
        [
          Kept(path: path, anchor: text.anchor(at: start, .before), element: $0),
          Kept(path: path, anchor: text.anchor(at: end, .after), element: $0),
        ]
      }
    }
  }

  private func difference(_ site: TextCommits, _ kept: [Kept]) -> String? {
    site.document._table.checkEveryInvariant()
    for path in TextCommits.paths {
      if let problem = site.problem(at: path) { return problem }
      guard let text = site.text(path), let model = site.models[path] else { continue }
      for kept in kept where kept.path == path {
        guard model.sequence.node(kept.element) != nil else { continue }
        let found = text.index(of: kept.anchor).map { text.offset(of: $0, in: .unicodeScalars) }
        let element = model.representative(of: kept.element, isLast: kept.anchor.side == .after)
        var expected = 0
        for node in model.sequence.elements {
          if node.id == element {
            if kept.anchor.side == .after, !node.isDead { expected += 1 }
            break
          }
          if !node.isDead { expected += 1 }
        }
        if found != expected { return "\(kept) at \(found ?? -1) instead of \(expected)" }
      }
    }
    return nil
  }
}
