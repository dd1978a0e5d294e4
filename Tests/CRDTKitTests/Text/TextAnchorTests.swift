import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing
import Toolkit

/// Anchors keep to their characters, whatever is written elsewhere, and to the place where
/// they stood when they are deleted.
@Suite("Anchors in texts")
struct TextAnchorTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  /// An anchor, and the element of the model that it should keep to.
  private struct Kept {
    var anchor: ReplicatedText.Anchor
    /// `nil` for the start or the end.
    var element: ElementID?
    var side: ReplicatedText.Side
  }

  @Test("anchors stay beside their elements in random schedules")
  func schedules() {
    for seed in seeds(210, long: 10_000) {
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
    var kept: [Kept] = []
    for (number, step) in schedule.steps.enumerated() {
      let acting = step.act(on: &texts)
      model.apply(step)
      kept.append(made(in: texts[acting], model.sequences[acting], using: &random))
      if let problem = misplaced(kept, in: texts[acting], model.sequences[acting]) {
        return "step \(number), \(step): \(problem)"
      }
    }
    for (text, sequence) in zip(texts, model.sequences) {
      if let problem = misplaced(kept, in: text, sequence) { return "in the end: \(problem)" }
    }
    var (merged, sequence) = (texts[0], model.sequences[0])
    for text in texts { merged.merge(text) }
    for other in model.sequences { sequence.merge(other) }
    if let problem = misplaced(kept, in: merged, sequence) { return "merged: \(problem)" }
    guard let decoded = try? merged.readBack() else { return "not decoded" }
    return misplaced(kept, in: decoded, sequence).map { "decoded: \($0)" }
  }

  private func made(
    in text: ReplicatedText, _ sequence: NaiveSequence, using random: inout SeededGenerator
  ) -> Kept {
    let place = random.below(sequence.count + 1)
    let side: ReplicatedText.Side = random.below(2) == 0 ? .before : .after
    let element = side == .before ? place : place - 1
    let isThere = (0..<sequence.count).contains(element)
    return Kept(
      anchor: text.anchor(at: text.place(place), side),
      element: isThere ? sequence.visibleIDs(in: element..<element + 1)[0] : nil, side: side)
  }

  private func misplaced(
    _ kept: [Kept], in text: ReplicatedText, _ sequence: NaiveSequence
  ) -> String? {
    var places: [ElementID: (before: Int, isDead: Bool)] = [:]
    var before = 0
    for node in sequence.elements {
      places[node.id] = (before, node.isDead)
      if !node.isDead { before += 1 }
    }
    for (number, kept) in kept.enumerated() {
      var expected: Int? = kept.side == .after ? 0 : before
      if let element = kept.element {
        expected = places[element].map { $0.before + ($0.isDead || kept.side == .before ? 0 : 1) }
      }
      let found = text.index(of: kept.anchor).map { text.offset(of: $0, in: .unicodeScalars) }
      if found != expected {
        return "anchor \(number) (\(kept.side)) is at \(String(describing: found)), "
          + "not at \(String(describing: expected))"
      }
    }
    return nil
  }

  @Test("what is typed at an anchor comes before or after it, by its side")
  func sides() throws {
    let text = ReplicatedText("ab", by: phone)
    for place in 0...2 {
      for side in [ReplicatedText.Side.before, .after] {
        var edited = text
        let anchor = edited.anchor(at: edited.place(place), side)
        #expect(edited.index(of: anchor) == edited.place(place))
        edited.insert("漢👍", at: edited.place(place), by: laptop)
        let index = try #require(edited.index(of: anchor))
        #expect(
          edited.offset(of: index, in: .unicodeScalars) == (side == .before ? place + 2 : place))
      }
    }
  }

  @Test("the start and the end stay the start and the end")
  func ends() {
    var text = ReplicatedText()
    let start = text.anchor(at: text.startIndex, .after)
    let end = text.anchor(at: text.endIndex, .before)
    #expect(start != end)
    for step in 0..<12 {
      #expect(text.index(of: start) == text.startIndex, "step \(step)")
      #expect(text.index(of: end) == text.endIndex, "step \(step)")
      switch step % 4 {
      case 0: text.insert("é\n", at: text.startIndex, by: phone)
      case 1: text.append("漢", by: laptop)
      case 2: text.removeSubrange(text.places(0..<1), by: phone)
      default: text.removeAll(by: laptop)
      }
    }
    #expect(text.anchor(at: text.startIndex, .after) == start)
    #expect(text.anchor(at: text.endIndex, .before) == end)
  }

  @Test("an anchor of a deleted character is where it stood")
  func deleted() throws {
    var text = ReplicatedText("one two three", by: phone)
    let anchors = (0...13).flatMap { place in
      [ReplicatedText.Side.before, .after].map { (place, text.anchor(at: text.place(place), $0)) }
    }
    text.removeSubrange(text.places(4..<8), by: laptop)
    for (place, anchor) in anchors {
      let index = try #require(text.index(of: anchor))
      let expected = place <= 4 ? place : max(place - 4, 4)
      #expect(text.offset(of: index, in: .unicodeScalars) == expected, "\(place)")
    }
    // Deleted by two at the same time, and merged.
    var other = text
    other.removeSubrange(other.places(2..<5), by: phone)
    text.removeAll(by: laptop)
    text.merge(other)
    #expect(text.isEmpty)
    for (place, anchor) in anchors { #expect(text.index(of: anchor) == text.endIndex, "\(place)") }
  }

  @Test("an anchor of a character that isn't seen yet gives nil until it is")
  func unseen() throws {
    let base = ReplicatedText("ab", by: phone)
    var writer = base
    writer.insert("X", at: writer.place(1), by: laptop)
    var reader = base
    for side in [ReplicatedText.Side.before, .after] {
      let place = side == .before ? 1 : 2
      let anchor = writer.anchor(at: writer.place(place), side)
      #expect(reader.index(of: anchor) == nil)
      #expect(ReplicatedText().index(of: anchor) == nil)
      let news = writer.delta(since: reader.version)
      var later = reader
      try later.apply(news)
      #expect(later.index(of: anchor) == later.place(place))
    }
    // It comes already deleted.
    let anchor = writer.anchor(at: writer.place(1), .before)
    writer.removeSubrange(writer.places(1..<2), by: laptop)
    reader.merge(writer)
    #expect(reader.index(of: anchor) == reader.place(1))
  }

  @Test("anchors are stored as JSON, and equal the same anchor of another replica")
  func storing() throws {
    var text = ReplicatedText("a漢\n", by: phone)
    text.insert("👍🏽", at: text.place(1), by: ReplicaID(UInt64.max))
    var other = ReplicatedText("b", by: laptop)
    other.merge(text)
    text.merge(other)
    var all: Set<ReplicatedText.Anchor> = []
    for place in 0...text.count(in: .unicodeScalars) {
      for side in [ReplicatedText.Side.before, .after] {
        let anchor = text.anchor(at: text.place(place), side)
        #expect(other.anchor(at: other.place(place), side) == anchor)
        let data = try JSONEncoder().encode(anchor)
        let read = try JSONDecoder().decode(ReplicatedText.Anchor.self, from: data)
        #expect(read == anchor)
        #expect(other.index(of: read) == other.place(place))
        all.insert(read)
      }
    }
    #expect(all.count == 2 * (text.count(in: .unicodeScalars) + 1))
  }

  @Test("a comment keeps to its words through moves of everything around them")
  func comment() throws {
    var text = ReplicatedText("The quick brown fox", by: phone)
    let start = text.anchor(at: text.place(4), .before)
    let end = text.anchor(at: text.place(9), .after)
    var copies = (2..<6 as Range<UInt64>).map { (ReplicaID($0), text) }
    for place in copies.indices {
      let replica = copies[place].0
      copies[place].1.insert("\(place)漢", at: copies[place].1.place(place), by: replica)
      copies[place].1.append("!", by: replica)
    }
    for (_, copy) in copies.reversed() { text.merge(copy) }
    let lower = try #require(text.index(of: start))
    let upper = try #require(text.index(of: end))
    #expect(text[lower..<upper] == "quick")
  }
}
