import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing
import Toolkit

/// Deltas of texts: with gaps, twice, late, from a log that was cut, to copies that went on.
@Suite("Deltas of texts")
struct TextDeltaTests {
  let phone = ReplicaID(1)
  let laptop = ReplicaID(2)

  /// Makes a random edit.
  private func edit(
    _ text: inout ReplicatedText, by replica: ReplicaID, using random: inout SeededGenerator
  ) -> TableDelta<ReplicatedText> {
    let length = text.count(in: .unicodeScalars)
    let start = random.below(length + 1)
    let range = text.places(start..<start + random.below(min(length - start, 5) + 1))
    let string = TextSamples.string(pieces: random.below(4), using: &random)
    let isSet = random.below(8) == 0
    let shown = String(text)
    return text.edit(by: replica) {
      if isSet {
        $0.set(to: string + shown)
      } else {
        $0.replaceSubrange(range, with: string)
      }
    }
  }

  @Test("a delta over a gap is refused and changes nothing")
  func gaps() throws {
    var text = ReplicatedText()
    let first = text.edit(by: phone) { $0.append("a漢") }
    let second = text.edit(by: phone) { $0.append("b") }
    let third = text.edit(by: laptop) { $0.removeSubrange($0.text.places(0..<2)) }
    var reader = ReplicatedText()
    #expect(throws: DeltaError.gap(missing: [phone: 2])) { try reader.apply(second) }
    #expect(throws: DeltaError.gap(missing: [phone: 2])) {
      try reader.apply(decoding: second.encoded())
    }
    #expect(reader == ReplicatedText())
    try reader.apply(first)
    let before = reader
    #expect(throws: DeltaError.gap(missing: [phone: 3])) { try reader.apply(third) }
    #expect(throws: DeltaError.gap(missing: [phone: 3])) { try reader.check(third) }
    #expect(reader == before)
    #expect(reader.encoded() == before.encoded())
    #expect(String(reader) == "a漢")
    try reader.apply(second)
    try reader.apply(third)
    #expect(reader.encoded() == text.encoded())
    #expect(String(reader) == "b")
  }

  @Test("random deltas that skip others are refused, or nothing was missing")
  func randomGaps() {
    for seed in seeds(60, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      var text = ReplicatedText("0123", by: phone)
      var states = [text]
      var deltas: [TableDelta<ReplicatedText>] = []
      for _ in 0..<12 {
        let replica = ReplicaID(UInt64(random.below(3)) + 1)
        deltas.append(edit(&text, by: replica, using: &random))
        states.append(text)
      }
      for _ in 0..<20 {
        let place = random.below(deltas.count)
        var reader = states[random.below(states.count)]
        let before = reader
        do throws(DeltaError) {
          try reader.apply(deltas[place])
          let isAhead = before.version.contains(states[place + 1].version)
          if before.version.contains(deltas[place].base), isAhead || before == states[place] {
            let expected = isAhead ? before : states[place + 1]
            #expect(reader.encoded() == expected.encoded(), "seed \(seed), delta \(place)")
          }
        } catch {
          guard case .gap = error else {
            Issue.record("seed \(seed), delta \(place): \(error)")
            return
          }
          #expect(reader.encoded() == before.encoded(), "seed \(seed), delta \(place)")
          #expect(String(reader) == String(before), "seed \(seed), delta \(place)")
        }
      }
    }
  }

  @Test("deltas one by one, twice, and late come to the state that they were made from")
  func repeated() throws {
    for seed in seeds(90, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      var writers = [ReplicatedText(), ReplicatedText()]
      var reader = ReplicatedText()
      var deltas: [TableDelta<ReplicatedText>] = []
      for step in 0..<24 {
        let place = random.below(2)
        if random.below(6) == 0 {
          let other = writers[1 - place]
          writers[place].merge(other)
          continue
        }
        let delta = edit(&writers[place], by: ReplicaID(UInt64(place) + 1), using: &random)
        deltas.append(delta)
        let isNew = try reader.apply(decoding: delta.encoded())
        #expect(isNew == !delta.isEmpty, "seed \(seed), step \(step)")
        let isNewAgain = try reader.apply(delta)
        #expect(!isNewAgain, "seed \(seed), step \(step)")
        let before = reader
        try reader.apply(deltas[random.below(deltas.count)])
        guard reader.encoded() == before.encoded(), String(reader) == String(before) else {
          Issue.record("seed \(seed), step \(step): a late delta changes something")
          return
        }
      }
      let merged = writers[0].merging(writers[1])
      guard merged.encoded() == reader.encoded(), String(merged) == String(reader) else {
        Issue.record("seed \(seed): \(reader) by deltas, \(merged) by merging")
        return
      }
    }
  }

  @Test("a delta that begins before what its receiver has adds only the rest")
  func overlapping() throws {
    for seed in seeds(60, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      var model = NaiveReplicas(count: 1)
      var writer = ReplicatedText()
      var states: [ReplicatedText] = [writer]
      for _ in 0..<12 {
        let count = writer.count(in: .unicodeScalars)
        let place = random.below(count + 1)
        if count > 3, random.below(3) == 0 {
          let range = place..<min(place + 2, count)
          guard !range.isEmpty else { continue }
          writer.removeSubrange(writer.places(range), by: phone)
          model.delete(range, by: 0)
        } else {
          writer.insert("aé漢", at: writer.index(place, in: .unicodeScalars), by: phone)
          model.insert("aé漢", at: place, by: 0)
        }
        states.append(writer)
      }
      let late = random.below(states.count - 1)
      let early = random.below(late + 1)
      let delta = writer.delta(since: states[early].version).encoded()
      var reader = try ReplicatedText(decoding: states[late].encoded())
      try reader.apply(decoding: delta)
      #expect(String(reader) == model.sequences[0].text, "seed \(seed), \(early), \(late)")
      #expect(reader.encoded() == writer.encoded(), "seed \(seed), \(early), \(late)")
    }
  }

  @Test("a delta from a log that was cut lists survivors, and comes to the same")
  func survivors() throws {
    let letters = (0..<9_000).map { TextSamples.scalar($0) }
    let old = ReplicatedText(TextSamples.string(of: letters), by: phone)
    var text = old
    for deletion in 0..<4_200 {
      // Each is apart from those before.
      text.removeSubrange(text.places(deletion + 1..<deletion + 2), by: phone)
    }
    var expected: [Unicode.Scalar] = []
    for (place, letter) in letters.enumerated() where place >= 8_400 || place % 2 == 0 {
      expected.append(letter)
    }
    #expect(String(text) == TextSamples.string(of: expected))
    let delta = text.delta(since: old.version)
    #expect(!delta.listsRemovals, "the log should have been cut")
    var reader = old
    try reader.apply(decoding: delta.encoded())
    #expect(reader.encoded() == text.encoded())
    #expect(String(reader) == String(text))
    // One who wrote among the deleted, and deleted others, keeps both.
    var writer = old
    writer.insert("!", at: writer.place(4), by: laptop)
    writer.removeSubrange(writer.places(8_990..<8_995), by: laptop)
    let merged = writer.merging(text)
    try writer.apply(delta)
    #expect(writer.encoded() == merged.encoded())
    #expect(String(writer) == String(merged))
    let rest: [Unicode.Scalar] = [letters[0], letters[2], "!"] + expected[2...]
    let gone = Set((8_989..<8_994).map { letters[$0] })
    #expect(String(writer) == TextSamples.string(of: rest.filter { !gone.contains($0) }))
  }

  @Test("survivors and removals come to the same in random schedules")
  func forgetful() throws {
    for seed in seeds(90, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      var (text, other) = (ReplicatedText("0123456789", by: phone), ReplicatedText())
      other.merge(text)
      for _ in 0..<10 {
        _ = edit(&text, by: phone, using: &random)
        _ = edit(&other, by: laptop, using: &random)
        if random.below(4) == 0 { other.merge(text) }
      }
      text.merge(other)
      let earlier = other
      for _ in 0..<5 { _ = edit(&text, by: ReplicaID(3), using: &random) }
      var forgetful = text
      for place in forgetful._table.columns.indices {
        let seen = forgetful._table.columns[place].seen
        forgetful._table.columns[place].kills = KillLog(floor: seen)
      }
      for source in [text, forgetful] {
        var reader = earlier
        try reader.apply(source.delta(since: earlier.version))
        guard reader.encoded() == text.encoded(), String(reader) == String(text) else {
          Issue.record("seed \(seed): \(reader) instead of \(text)")
          return
        }
      }
    }
  }

  @Test("copies that were read, and both written on, show what their bytes show")
  func copies() throws {
    for seed in seeds(90, long: 5_000) {
      var random = SeededGenerator(seed: seed)
      var texts = [ReplicatedText(TextSamples.string(pieces: 20, using: &random), by: phone)]
      for step in 0..<20 {
        let place = random.below(texts.count)
        if texts.count < 4, random.below(3) == 0 {
          _ = String(texts[place])
          texts.append(texts[place])
        }
        // Copies share their past, and each goes on under a name of its own.
        _ = edit(&texts[place], by: ReplicaID(UInt64(place) + 2), using: &random)
        let other = texts[random.below(texts.count)]
        if random.below(5) == 0 { texts[place].merge(other) }
        for text in texts {
          let decoded = try text.readBack()
          guard decoded.shownBytes == text.shownBytes, decoded == text,
            decoded.count(in: .utf16) == text.count(in: .utf16),
            decoded.count(in: .lines) == text.count(in: .lines)
          else {
            Issue.record("seed \(seed), step \(step): \(text), but decoded \(decoded)")
            return
          }
        }
      }
    }
  }

  @Test("fifty replicas that type a word each come to the same in any order")
  func crowd() {
    let seed: UInt64 = 50
    var random = SeededGenerator(seed: seed)
    let base = ReplicatedText("Zwölf Boxkämpfer jagen Viktor\n", by: phone)
    var words: [String] = []
    var copies: [ReplicatedText] = []
    for number in 0..<50 {
      words.append(
        TextSamples.string(of: (0..<6).map { TextSamples.scalar(number * 10 + $0) }))
      var copy = base
      let place = random.below(base.count(in: .unicodeScalars) + 1)
      copy.insert(words[number], at: copy.place(place), by: ReplicaID(100 + UInt64(number)))
      copies.append(copy)
    }
    var all: [ReplicatedText] = []
    for _ in 0..<8 {
      var merged = base
      for copy in copies.shuffled(using: &random) { merged.merge(copy) }
      all.append(merged)
    }
    // As a tournament, too.
    var rest = copies.shuffled(using: &random)
    while rest.count > 1 {
      let (left, right) = (rest.removeFirst(), rest.removeFirst())
      rest.append(left.merging(right))
    }
    all.append(rest[0])
    for merged in all {
      #expect(merged.encoded() == all[0].encoded(), "seed \(seed)")
      #expect(merged.contentDigest == all[0].contentDigest, "seed \(seed)")
      #expect(String(merged) == String(all[0]), "seed \(seed)")
    }
    let shown = String(all[0])
    for word in words { #expect(shown.contains(word), "seed \(seed)") }
  }
}
