import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

/// The changes between two states of a text, as a text view applies them, and who wrote what.
@Suite("Changes and authors of texts")
struct TextChangesTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  private typealias Change = ReplicatedText.Change

  /// The units of a string after some changes; `nil` if they are out of order or of bounds.
  private func applied<CodeUnit>(
    _ changes: [Change], to units: [CodeUnit], _ view: (String) -> [CodeUnit]
  ) -> [CodeUnit]? {
    var units = units
    var end = 0
    for change in changes {
      let range = change.replaced
      guard range.lowerBound >= end, range.upperBound <= units.count else { return nil }
      let inserted = view(change.inserted)
      if range.isEmpty, inserted.isEmpty { return nil }
      units.replaceSubrange(range, with: inserted)
      end = range.lowerBound + inserted.count
    }
    return units
  }

  /// What is wrong with the changes between two states.
  private func mistake(from earlier: ReplicatedText, to now: ReplicatedText) -> String? {
    let (old, new) = (String(earlier), String(now))
    let utf16 = applied(now.changes(since: earlier), to: Array(old.utf16)) { Array($0.utf16) }
    if utf16 != Array(new.utf16) { return "in UTF-16, \(old) to \(new)" }
    let utf8 = applied(now.changes(since: earlier, in: .utf8), to: Array(old.utf8)) {
      Array($0.utf8)
    }
    if utf8 != Array(new.utf8) { return "in UTF-8, \(old) to \(new)" }
    let changes = now.changes(since: earlier, in: .unicodeScalars)
    let scalars = applied(changes, to: Array(old.unicodeScalars)) { Array($0.unicodeScalars) }
    return scalars == Array(new.unicodeScalars) ? nil : "in scalars, \(old) to \(new)"
  }

  @Test("changes lead from any state to any other, in random schedules")
  func schedules() {
    for seed in seeds(150, long: 10_000) {
      let schedule = RandomTextSchedule(seed: seed, stepCounts: 10...40)
      guard let problem = schedule.leastFailure(failure(of:)) else { continue }
      Issue.record("\(problem)")
      return
    }
  }

  private func failure(of schedule: RandomTextSchedule) -> String? {
    var random = SeededGenerator(seed: schedule.seed)
    var model = NaiveReplicas(count: schedule.replicaCount)
    var texts = Array(repeating: ReplicatedText(), count: schedule.replicaCount)
    var states: [(text: ReplicatedText, sequence: NaiveSequence)] = [
      (ReplicatedText(), NaiveSequence())
    ]
    for (number, step) in schedule.steps.enumerated() {
      let acting = step.act(on: &texts)
      model.apply(step)
      let now = (text: texts[acting], sequence: model.sequences[acting])
      states.append(now)
      for earlier in [states[max(number - 1, 0)], states[random.below(states.count)]] {
        if let problem = mistake(from: earlier.text, to: now.text) {
          return "step \(number), \(step): \(problem)"
        }
        if let problem = excess(from: earlier, to: now) {
          return "step \(number), \(step): \(problem)"
        }
      }
      if let problem = wrongAuthors(in: now.text, now.sequence, using: &random) {
        return "step \(number), \(step): \(problem)"
      }
    }
    return nil
  }

  /// How the changes touch more than the elements that came and went.
  private func excess(
    from earlier: (text: ReplicatedText, sequence: NaiveSequence),
    to now: (text: ReplicatedText, sequence: NaiveSequence)
  ) -> String? {
    let then = Set(earlier.sequence.visibleIDs(in: 0..<earlier.sequence.count))
    let present = Set(now.sequence.visibleIDs(in: 0..<now.sequence.count))
    let changes = now.text.changes(since: earlier.text, in: .unicodeScalars)
    let removed = changes.reduce(0) { $0 + $1.replaced.count }
    let inserted = changes.reduce(0) { $0 + $1.inserted.unicodeScalars.count }
    if removed != then.subtracting(present).count { return "\(removed) removed" }
    if inserted != present.subtracting(then).count { return "\(inserted) inserted" }
    return nil
  }

  private func wrongAuthors(
    in text: ReplicatedText, _ sequence: NaiveSequence, using random: inout SeededGenerator
  ) -> String? {
    let start = random.below(sequence.count + 1)
    let range = start..<start + random.below(sequence.count - start + 1)
    var expected: [UInt64] = sequence.visibleIDs(in: range).map(\.replica)
    let authors = text.authors(in: text.places(range))
    var end = text.place(range.lowerBound)
    for author in authors {
      if author.range.lowerBound != end || author.range.isEmpty { return "a gap or overlap" }
      end = author.range.upperBound
      let count = text[author.range].unicodeScalars.count
      let names = Array(expected.prefix(count))
      if names != Array(repeating: author.replica.rawValue, count: count) {
        return "\(author.replica) instead of \(names)"
      }
      expected.removeFirst(count)
    }
    if end != text.place(range.upperBound) || !expected.isEmpty { return "authors end early" }
    let isJoined = zip(authors, authors.dropFirst()).allSatisfy { $0.replica != $1.replica }
    return isJoined ? nil : "two neighbours have one author"
  }

  @Test("no difference makes no change")
  func nothing() {
    var text = ReplicatedText("a漢\n", by: phone)
    #expect(text.changes(since: text).isEmpty)
    #expect(ReplicatedText().changes(since: ReplicatedText()).isEmpty)
    let earlier = text
    text.insert("👍", at: text.place(1), by: laptop)
    text.removeSubrange(text.places(1..<2), by: laptop)
    #expect(text.version != earlier.version)
    for unit in [ReplicatedText.Unit.utf8, .utf16, .unicodeScalars] {
      #expect(text.changes(since: earlier, in: unit).isEmpty)
      #expect(earlier.changes(since: text, in: unit).isEmpty)
    }
  }

  @Test("each unit counts in itself; neighbouring changes are one")
  func units() {
    var text = ReplicatedText("漢👍\u{E9}.", by: phone)
    let earlier = text
    text.replaceSubrange(text.places(2..<3), with: "👍x", by: laptop)
    let expected: [(ReplicatedText.Unit, Range<Int>)] = [
      (.utf8, 7..<9), (.utf16, 3..<4), (.unicodeScalars, 2..<3),
    ]
    for (unit, range) in expected {
      let changes = text.changes(since: earlier, in: unit)
      #expect(changes.map(\.replaced) == [range], "\(unit)")
      #expect(changes.map(\.inserted) == ["👍x"], "\(unit)")
    }
  }

  @Test("changes lead between texts that have nothing in common")
  func unrelated() {
    let one = ReplicatedText("one 漢\n", by: phone)
    let other = ReplicatedText("👍 other", by: laptop)
    for (earlier, now) in [(one, other), (other, one), (ReplicatedText(), one)] {
      #expect(mistake(from: earlier, to: now) == nil)
      #expect(mistake(from: now, to: earlier) == nil)
    }
    var emptied = one
    emptied.removeAll(by: laptop)
    #expect(mistake(from: one, to: emptied) == nil)
    #expect(mistake(from: emptied, to: one) == nil)
    #expect(mistake(from: emptied, to: other) == nil)
  }

  @Test("a text view follows a merge across pages")
  func pages() {
    let base = ReplicatedText(String(repeating: "0123456789", count: 300), by: phone)
    var left = base
    var right = base
    for place in 0..<40 {
      left.insert("漢", at: left.place(70 * place), by: phone)
      right.removeSubrange(right.places(60 * place..<60 * place + 3), by: laptop)
    }
    let merged = left.merging(right)
    for earlier in [base, left, right] {
      #expect(mistake(from: earlier, to: merged) == nil)
      #expect(mistake(from: merged, to: earlier) == nil)
    }
  }

  @Test("a text view follows the repair of a fork", arguments: [3, 4, 5])
  func fork(length: Int) {
    let base = ReplicatedText("shared ", by: phone)
    var (left, right) = (base, base)
    left.append("LEFT", by: phone)
    right.append(String("right".prefix(length)), by: phone)
    let merged = left.merging(right)
    for shown in [base, left, right] {
      #expect(mistake(from: shown, to: merged) == nil, "shown: \(shown)")
    }
  }

  @Test("authors of nothing, of one, and of what two typed in each other")
  func authors() {
    #expect(ReplicatedText().authors(in: ReplicatedText().places(0..<0)).isEmpty)
    var text = ReplicatedText("aaaa", by: phone)
    text.insert("漢漢", at: text.place(2), by: laptop)
    let authors = text.authors(in: text.startIndex..<text.endIndex)
    #expect(authors.map(\.replica) == [phone, laptop, phone])
    #expect(authors.map { text[$0.range] } == ["aa", "漢漢", "aa"])
    #expect(text.authors(in: text.places(3..<3)).isEmpty)
  }
}
