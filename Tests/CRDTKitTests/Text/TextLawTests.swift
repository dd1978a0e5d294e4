import CRDTKit
import CRDTTestSupport
import Testing
import Toolkit

/// Texts beside the naive sequence, over random schedules of edits and merges.
@Suite("Texts against a naive sequence")
struct TextLawTests {
  @Test("each replica shows what the naive sequence shows, however changes arrive")
  func schedules() throws {
    for seed: UInt64 in 1...200 { check(RandomTextSchedule(seed: seed)) }
  }

  @Test("and so do texts of several pages")
  func pages() throws {
    for seed: UInt64 in 1...8 {
      var schedule = RandomTextSchedule(seed: seed, stepCounts: 6...12)
      schedule.steps = schedule.steps.map { step in
        switch step {
        case .insert(let who, let position, let text):
          .insert(who, position: position, String(repeating: text, count: 170))
        case .delete(let who, let position, let count):
          .delete(who, position: position, count: count * 170)
        case .merge: step
        }
      }
      check(schedule)
    }
  }

  private func check(_ schedule: RandomTextSchedule) {
    if let problem = schedule.leastFailure(failure(of:)) { Issue.record("\(problem)") }
  }

  /// Returns what goes wrong in a schedule.
  private func failure(of schedule: RandomTextSchedule) -> String? {
    var model = NaiveReplicas(count: schedule.replicaCount)
    var texts = ContiguousArray(
      repeating: ReplicatedText(), count: schedule.replicaCount)
    for (number, step) in schedule.steps.enumerated() {
      let acting = apply(step, number, to: &texts)
      model.apply(step)
      if let problem = difference(texts[acting], model.sequences[acting]) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for place in texts.indices {
      for other in texts.indices {
        texts[place].merge(texts[other])
        model.apply(.merge(place, from: other))
      }
    }
    for place in texts.indices {
      for other in texts.indices { texts[place].merge(texts[other]) }
      if texts[place].encoded() != texts[0].encoded() { return "other bytes at \(place)" }
      if texts[place].contentDigest != texts[0].contentDigest { return "other digest" }
    }
    return difference(texts[0], model.sequences[schedule.replicaCount - 1])
  }

  /// Applies a step; returns the replica that acted.
  private func apply(
    _ step: RandomTextSchedule.Step, _ number: Int, to texts: inout ContiguousArray<ReplicatedText>
  ) -> Int {
    switch step {
    case .insert(let who, let position, let string):
      let place = who % texts.count
      let count = texts[place].count(in: .unicodeScalars)
      let index = texts[place].index(position % (count + 1), in: .unicodeScalars)
      let replica = ReplicaID(UInt64(place) + 1)
      if number % 3 == 0 {
        texts[place].edit(by: replica) { $0.insert(string, at: index) }
      } else {
        texts[place].insert(string, at: index, by: replica)
      }
      return place
    case .delete(let who, let position, let length):
      let place = who % texts.count
      let count = texts[place].count(in: .unicodeScalars)
      guard count > 0 else { return place }
      let first = position % count
      let start = texts[place].index(first, in: .unicodeScalars)
      let end = texts[place].index(min(first + length, count), in: .unicodeScalars)
      texts[place].removeSubrange(start..<end, by: ReplicaID(UInt64(place) + 1))
      return place
    case .merge(let who, let from):
      let place = who % texts.count
      take(texts[from % texts.count], number, into: &texts[place])
      return place
    }
  }

  /// Merges a text by one of the ways in which changes arrive.
  private func take(_ other: ReplicatedText, _ number: Int, into text: inout ReplicatedText) {
    do {
      switch number % 5 {
      case 0: text.merge(other)
      case 1: try text.apply(other.delta(since: text.version))
      case 2: try text.merge(decoding: other.encoded())
      case 3: try text.apply(decoding: other.delta(since: text.version).encoded())
      default:
        var joined = try ReplicatedText(decoding: other.encoded())
        joined.merge(text)
        text = joined
      }
    } catch {
      Issue.record(error)
    }
  }

  /// Returns how a text differs from the sequence; also after a round trip through bytes,
  /// which makes its order anew.
  private func difference(_ text: ReplicatedText, _ sequence: NaiveSequence) -> String? {
    text._table.checkEveryInvariant()
    let expected = sequence.text
    if String(text) != expected { return "\(String(text)) instead of \(expected)" }
    let bytes = text.encoded()
    guard let decoded = try? ReplicatedText(decoding: bytes) else { return "not decoded" }
    if decoded.encoded() != bytes { return "other bytes after decoding" }
    if decoded != text { return "not equal after decoding" }
    if decoded.contentDigest != text.contentDigest { return "other digest after decoding" }
    if String(decoded) != expected { return "\(String(decoded)) after decoding" }
    let order = sequence.elements.map { "\($0.id.replica):\($0.id.counter)\($0.isDead ? "-" : "")" }
    if elements(of: text) != order { return "\(elements(of: text)) instead of \(order)" }
    if elements(of: decoded) != order { return "\(elements(of: decoded)) after decoding" }
    for unit in [ReplicatedText.Unit.unicodeScalars, .utf16, .utf8] {
      let count =
        switch unit {
        case .unicodeScalars: expected.unicodeScalars.count
        case .utf16: expected.utf16.count
        default: expected.utf8.count
        }
      if text.count(in: unit) != count { return "\(text.count(in: unit)) \(unit), not \(count)" }
    }
    return nil
  }

  /// The elements in order, the dead ones with a dash.
  private func elements(of text: ReplicatedText) -> [String] {
    text._table.orderedElements.map {
      "\($0.dot.replica.rawValue):\($0.dot.counter)\($0.isDead ? "-" : "")"
    }
  }
}
