import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

/// Marks beside a model that keeps every mark ever made and asks all of them for each
/// character, over random schedules.
@Suite("Marks against a naive model")
struct MarkLawTests {
  @Test("each replica shows what the model shows, however changes arrive")
  func schedules() {
    for seed: UInt64 in seeds(60, long: 5_000) { check(MarkSchedule(seed: seed)) }
  }

  private func check(_ schedule: MarkSchedule) {
    if let problem = shrunkenFailure(of: schedule.steps, seed: schedule.seed, failure) {
      Issue.record("\(problem)")
    }
  }

  /// Returns what goes wrong in a schedule.
  private func failure(of steps: [MarkSchedule.Step]) -> String? {
    var sites = Array(repeating: MarkSite(), count: MarkSchedule.replicaCount)
    for (number, step) in steps.enumerated() {
      let acting = step.replica
      let before = sites[acting]
      do throws(DeltaError) {
        try act(step, number, on: &sites)
      } catch {
        return "step \(number), \(step): \(error)"
      }
      if let problem = sites[acting].problem ?? sites[acting].problem(since: before) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for _ in 0...1 {
      for place in sites.indices {
        for other in sites { sites[place].merge(other) }
      }
    }
    for site in sites {
      if site.text.encoded() != sites[0].text.encoded() { return "other bytes" }
      if site.text.contentDigest != sites[0].text.contentDigest { return "other digest" }
      if site.text != sites[0].text { return "not equal" }
      if Array(site.text.runs) != Array(sites[0].text.runs) { return "other runs" }
      if let problem = site.problem { return "merged: \(problem)" }
    }
    return nil
  }

  private func act(
    _ step: MarkSchedule.Step, _ number: Int, on sites: inout [MarkSite]
  ) throws(DeltaError) {
    let name = ReplicaID(UInt64(step.replica) + 1)
    switch step {
    case .insert(let site, let position, let string):
      let text = sites[site].text
      let place = text.place(position % (text.count(in: .unicodeScalars) + 1))
      sites[site].text.insert(string, at: place, by: name)
    case .replace(let site, let range, let string):
      guard let range = sites[site].range(range) else { return }
      let places = sites[site].text.places(range)
      if number % 2 == 0 {
        sites[site].text.replaceSubrange(places, with: string, by: name)
      } else {
        let text = sites[site].text
        let rest = text[places.upperBound..<text.endIndex]
        sites[site].text.set(
          to: text[text.startIndex..<places.lowerBound] + string + rest, by: name)
      }
    case .mark(let site, let range, let mark, let value, let growth):
      guard let range = sites[site].range(range) else { return }
      sites[site].mark(range, mark, value, growth, by: name)
    case .merge(let site, let other):
      switch number % 3 {
      case 0: sites[site].merge(sites[other])
      case 1:
        let delta = sites[other].text.delta(since: sites[site].text.version)
        try sites[site].text.apply(decoding: delta.encoded())
        sites[site].marks.merge(sites[other].marks) { mine, _ in mine }
      default:
        let mine = sites[site]
        sites[site] = sites[other]
        sites[site].merge(mine)
      }
    }
  }
}

/// Steps of three replicas that write in a text and mark it.
struct MarkSchedule {
  static let replicaCount = 3

  enum Step {
    case insert(Int, position: Int, String)
    case replace(Int, Range<Int>, String)
    /// Without a value, it takes the mark away.
    case mark(Int, Range<Int>, String, value: String?, ReplicatedText.Growth)
    case merge(Int, from: Int)

    var replica: Int {
      switch self {
      case .insert(let replica, _, _), .replace(let replica, _, _), .merge(let replica, _),
        .mark(let replica, _, _, _, _):
        replica
      }
    }
  }

  let seed: UInt64
  let steps: [Step]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    let count = 5 + random.below(40)
    steps = (0..<count).map { _ in Self.step(using: &random) }
  }

  private static func step(using random: inout SeededGenerator) -> Step {
    let replica = random.below(replicaCount)
    let start = random.below(8)
    let range = start..<start + 1 + random.below(5)
    switch random.below(10) {
    case 0..<2:
      let string = TextSamples.string(pieces: 1 + random.below(4), using: &random)
      return .insert(replica, position: start, string)
    case 2:
      return .replace(replica, range, TextSamples.string(pieces: random.below(3), using: &random))
    case 3..<7:
      let growths: [ReplicatedText.Growth] = [.neither, .atStart, .atEnd, .both]
      let value = ["", "1", "2", nil][random.below(4)]
      return .mark(
        replica, range, ["bold", "link"][random.below(2)], value: value, growths[random.below(4)])
    default: return .merge(replica, from: random.below(replicaCount))
    }
  }
}
