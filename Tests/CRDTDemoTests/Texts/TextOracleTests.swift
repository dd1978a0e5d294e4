import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator
@testable import Toolkit
@testable import crdt_demo

@Suite("Oracles of texts")
struct TextOracleTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)

  private func edit(
    _ replica: ReplicaID, _ counter: UInt64, after observed: VersionVector, serial: Int = 0,
    _ splices: [TextSplice], target: String? = nil, read: String = ""
  ) -> RecordedEdit {
    RecordedEdit(
      replica: replica, counter: counter, observed: observed,
      change: OracleChange(
        text: OracleTextEdit(splices: splices, target: target.map { Array($0.unicodeScalars) })),
      stamp: HybridTimestamp(time: 0, replica: replica), serial: serial,
      read: numbers(read))
  }

  private func splice(_ position: Int, _ removed: Int = 0, _ text: String = "") -> TextSplice {
    TextSplice(position: position, removed: removed, inserted: Array(text.unicodeScalars))
  }

  private func numbers(_ text: String) -> [Int64] { text.unicodeScalars.map { Int64($0.value) } }

  @Test("an edit counts where it was seen, and what was written at one place isn't mixed")
  func readings() {
    var oracle = Oracle(rule: .text)
    #expect(oracle.record(edit(phone, 2, after: [:], [splice(0, 0, "()")])) == nil)
    #expect(oracle.record(edit(phone, 4, after: [phone: 2], [splice(1, 0, "ab")])) == nil)
    #expect(oracle.record(edit(laptop, 2, after: [phone: 2], [splice(1, 0, "xy")])) == nil)
    #expect(oracle.record(edit(laptop, 3, after: [phone: 2, laptop: 2], [splice(0, 2)])) == nil)
    let readings: [(VersionVector, String)] = [
      ([:], ""), ([phone: 1], "("), ([phone: 3], "(a)"), ([phone: 2, laptop: 1], "(x)"),
      ([phone: 4, laptop: 2], "(abxy)"), ([phone: 4, laptop: 3], "aby)"),
      ([phone: 2, laptop: 3], "y)"),
    ]
    for (version, text) in readings {
      #expect(oracle.reading(of: 0, at: version) == numbers(text), "\(version)")
    }
  }

  @Test("an edit that can't have been is reported")
  func impossibleEdits() {
    var oracle = Oracle(rule: .text)
    #expect(
      oracle.record(edit(phone, 3, after: [:], [splice(0, 0, "ab")]))
        == "an edit made the events up to 3, not 2")
    #expect(
      oracle.record(edit(laptop, 1, after: [phone: 1], [splice(2, 0, "c")]))?
        .hasPrefix("an edit reaches beyond the text") == true)
    #expect(
      oracle.record(edit(laptop, 1, after: [phone: 2], [splice(0, 3)]))?
        .hasPrefix("an edit reaches beyond the text") == true)
    #expect(
      oracle.record(edit(laptop, 2, after: [phone: 2], [splice(0, 1, "c")], target: "bc"))
        == "the text is not what it was set to")
  }

  @Test("without names of events, elements are there once, and as they were typed")
  func lines() {
    var oracle = TextLineOracle()
    let edits = [
      edit(phone, 3, after: [:], serial: 1, [splice(0, 0, "abc")]),
      // Under the same name, of somebody who had seen nothing.
      edit(phone, 3, after: [:], serial: 2, [splice(0, 0, "xy"), splice(1, 0, "z")]),
      edit(laptop, 1, after: [phone: 3], serial: 3, [splice(1, 1)], read: "abc"),
    ]
    for edit in edits { #expect(oracle.record(edit) == nil) }
    func problem(_ text: String, _ required: [Int], _ possible: [Int]) -> String? {
      oracle.problem(
        of: numbers(text), required: Shadow(required), possible: Shadow(possible))
    }
    #expect(problem("abcxzy", [1, 2], [1, 2]) == nil)
    #expect(problem("xzyac", [1, 2, 3], [1, 2, 3]) == nil)
    #expect(problem("ac", [1, 3], [1, 2, 3]) == nil)
    #expect(problem("abc", [1], [1, 2, 3]) == nil)
    #expect(problem("ab", [1], [1, 2]) == "U+63 of edit 1 is missing")
    #expect(problem("abcb", [1], [1]) == "U+62 of edit 1 is there twice")
    #expect(problem("abc", [1, 3], [1, 3]) == "U+62 of edit 1 is there, but was deleted or lost")
    #expect(problem("abcx", [1], [1]) == "U+78 of edit 2 is there, but was deleted or lost")
    #expect(problem("acb", [1], [1]) == "U+62 of edit 1 is behind what it was typed before")
    #expect(problem("xyz", [2], [2]) == "U+7A of edit 2 is behind what it was typed before")
  }
}

@Suite("Random typists")
struct RandomTypistTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(2)

  @Test("type, correct, delete, paste and set, at their own place and where others are")
  func variety() {
    var text = ReplicatedText()
    var kinds: [String: Int] = [:]
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<600 {
      let number = EditNumber.marked(generator.next(), serial: nil)
      let replica = generator.below(2) == 0 ? phone : laptop
      var typist = RandomTypist(number, spots: 3)
      let count = text.count(in: .unicodeScalars)
      switch typist.draw(in: text, by: replica) {
      case .set: kinds["set", default: 0] += 1
      case .splices(let splices):
        if splices.count > 1 { kinds["burst", default: 0] += 1 }
        for splice in splices {
          if splice.removed > 0 { kinds["deletion", default: 0] += 1 }
          if splice.inserted.count > 1 { kinds["paste", default: 0] += 1 }
          if splice.inserted.contains(where: { !$0.isASCII }) { kinds["other", default: 0] += 1 }
        }
        let places = splices.map(\.position)
        if zip(places, places.dropFirst()).contains(where: { $1 < $0 }) {
          kinds["move", default: 0] += 1
        }
      }
      let stamp = HybridTimestamp(time: 0, replica: replica)
      var copy = text
      let (delta, changes) = text.change(number, among: 3, at: stamp)
      let (again, _) = copy.change(number, among: 3, at: stamp)
      #expect(delta.encoded() == again.encoded() && changes.count == 1)
      let events = changes[0].text?.splices.reduce(0) { $0 + $1.eventCount } ?? 0
      #expect((events == 0) == delta.isEmpty)
      #expect(text.count(in: .unicodeScalars) <= count + RandomTypist.insertedMax)
    }
    for kind in ["set", "burst", "deletion", "paste", "other", "move"] {
      #expect(kinds[kind, default: 0] >= 10, "\(kinds)")
    }
    #expect(text.count(in: .unicodeScalars) > 300)
  }

  @Test("use scalars that nobody else uses where they are to be told apart")
  func distinct() {
    var text = ReplicatedText()
    var seen: Set<Unicode.Scalar> = []
    var generator = SeededGenerator(seed: 10)
    for serial in 0..<400 {
      let number = EditNumber.marked(generator.next(), serial: serial)
      #expect(EditNumber.serial(of: number) == serial)
      let stamp = HybridTimestamp(time: 0, replica: phone)
      let changes = text.change(number, among: 5, at: stamp).changes
      for splice in changes.flatMap({ $0.text?.splices ?? [] }) {
        for scalar in splice.inserted { #expect(seen.insert(scalar).inserted, "\(serial)") }
      }
    }
    #expect(seen.count > 800)
  }
}
