import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Positions and lengths of texts in all units, beside plain arrays of scalars and the views
/// of `String`.
@Suite("Units of texts")
struct TextUnitTests {
  private typealias Unit = ReplicatedText.Unit

  private static let units: [Unit] = [.unicodeScalars, .utf16, .utf8]

  /// A text that several replicas wrote, and the scalars that it shows.
  private struct Sample {
    var text = ReplicatedText()
    var scalars: [Unicode.Scalar] = []

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<random.below(25) {
        let start = random.below(scalars.count + 1)
        let end = start + random.below(min(scalars.count - start, 4) + 1)
        let inserted = TextSamples.string(pieces: random.below(5), using: &random)
        let replica = ReplicaID(UInt64(random.below(3)) + 1)
        text.replaceSubrange(text.places(start..<end), with: inserted, by: replica)
        scalars.replaceSubrange(start..<end, with: inserted.unicodeScalars)
      }
    }

    init(_ string: String) {
      text.append(string, by: ReplicaID(1))
      scalars = Array(string.unicodeScalars)
    }
  }

  private static let plainStrings = [
    "", "a", "\u{E9}", "e\u{301}", "漢", "👍🏽", "👨‍👩‍👧", "\r\n", "\n", "\n\n\n", "one\ntwo\r\nthree",
    "\n漢\n👍🏽\r\n", String(repeating: "line 漢 👍🏽\n", count: 30),
  ]

  private func samples() -> [(name: String, sample: Sample)] {
    var samples = Self.plainStrings.map { (name: "\(Array($0.utf8))", sample: Sample($0)) }
    for seed in 0..<60 as Range<UInt64> { samples.append(("seed \(seed)", Sample(seed: seed))) }
    return samples
  }

  private func size(of scalar: Unicode.Scalar, in unit: Unit) -> Int {
    switch unit {
    case .unicodeScalars: 1
    case .utf16: UTF16.width(scalar)
    case .utf8: UTF8.width(scalar)
    case .lines: scalar == "\n" ? 1 : 0
    }
  }

  /// The offset of each scalar, then that of the end.
  private func borders(of scalars: [Unicode.Scalar], in unit: Unit) -> [Int] {
    var borders = [0]
    for scalar in scalars {
      borders.append(borders[borders.count - 1] + size(of: scalar, in: unit))
    }
    return borders
  }

  @Test("every offset, before, in and after the text, gives the scalar that it is in")
  func offsets() {
    for (name, sample) in samples() {
      if let problem = wrongOffset(in: sample.text, of: sample.scalars) {
        Issue.record("\(name): \(problem)")
        return
      }
      guard let decoded = try? ReplicatedText(decoding: sample.text.encoded()) else {
        Issue.record("\(name) doesn't decode")
        return
      }
      if let problem = wrongOffset(in: decoded, of: sample.scalars) {
        Issue.record("\(name), decoded: \(problem)")
        return
      }
    }
  }

  private func wrongOffset(in text: ReplicatedText, of scalars: [Unicode.Scalar]) -> String? {
    let string = TextSamples.string(of: scalars)
    if text.shownBytes != Array(string.utf8) { return "\(text) instead of \(string)" }
    let lines = borders(of: scalars, in: .lines)
    let all = Self.units.map { borders(of: scalars, in: $0) }
    for (unit, borders) in zip(Self.units, all) {
      let count = borders[scalars.count]
      if text.count(in: unit) != count { return "\(text.count(in: unit)) \(unit), not \(count)" }
      for offset in -2...count + 2 {
        let scalar = borders.lastIndex { $0 <= offset } ?? 0
        let index = text.index(offset, in: unit)
        for (other, borders) in zip(Self.units, all)
        where text.offset(of: index, in: other) != borders[scalar] {
          return "\(unit) \(offset) is at \(text.offset(of: index, in: other)) \(other)"
        }
        if text.offset(of: index, in: .lines) != lines[scalar] {
          return "\(unit) \(offset) is in line \(text.offset(of: index, in: .lines))"
        }
      }
    }
    if text.startIndex != text.place(0) { return "the start is elsewhere" }
    if text.endIndex != text.place(scalars.count) { return "the end is elsewhere" }
    if text.isEmpty != scalars.isEmpty { return "isEmpty is \(text.isEmpty)" }
    return nil
  }

  @Test("offsets are those of the views of String")
  func views() {
    for (name, sample) in samples() {
      let string = TextSamples.string(of: sample.scalars)
      let text = sample.text
      #expect(text.count(in: .unicodeScalars) == string.unicodeScalars.count, "\(name)")
      #expect(text.count(in: .utf16) == string.utf16.count, "\(name)")
      #expect(text.count(in: .utf8) == string.utf8.count, "\(name)")
      for index in Array(string.unicodeScalars.indices) + [string.endIndex] {
        let utf8 = string.utf8.distance(from: string.startIndex, to: index)
        let utf16 = string.utf16.distance(from: string.startIndex, to: index)
        guard text.index(utf8, in: .utf8) == text.index(utf16, in: .utf16),
          text.offset(of: text.index(utf8, in: .utf8), in: .utf16) == utf16,
          text.offset(of: text.index(utf16, in: .utf16), in: .utf8) == utf8
        else {
          Issue.record("\(name): UTF-8 \(utf8) isn't UTF-16 \(utf16)")
          return
        }
      }
    }
  }

  @Test("lines begin after line feeds, and positions know their line")
  func lines() {
    for (name, sample) in samples() {
      let text = sample.text
      var starts = [0]
      for (place, scalar) in sample.scalars.enumerated() where scalar == "\n" {
        starts.append(place + 1)
      }
      #expect(text.count(in: .lines) == starts.count, "\(name)")
      for line in -2...starts.count + 2 {
        let start =
          line <= 0 ? 0 : line < starts.count ? starts[line] : sample.scalars.count
        let index = text.index(line, in: .lines)
        guard index == text.place(start) else {
          let found = text.offset(of: index, in: .unicodeScalars)
          Issue.record("\(name): line \(line) begins at \(found), not at \(start)")
          return
        }
        let number = min(max(line, 0), starts.count - 1)
        #expect(text.offset(of: index, in: .lines) == number, "\(name), line \(line)")
      }
    }
  }

  @Test("the text between two positions is the slice of the string")
  func slices() {
    for (name, sample) in samples() {
      let count = sample.scalars.count
      let step = max(count / 24, 1)
      for start in stride(from: 0, through: count, by: step) {
        for end in stride(from: start, through: count, by: step) {
          let slice = sample.text[sample.text.places(start..<end)]
          let expected = TextSamples.string(of: sample.scalars[start..<end])
          guard Array(slice.utf8) == Array(expected.utf8) else {
            Issue.record("\(name): \(start)..<\(end) is \(slice) instead of \(expected)")
            return
          }
        }
      }
      let whole = sample.text[sample.text.startIndex..<sample.text.endIndex]
      #expect(Array(whole.utf8) == sample.text.shownBytes, "\(name)")
    }
  }

  @Test("every range of a short text can be replaced")
  func replacements() {
    for string in ["", "\u{E9}", "a\r\n漢\n", "e\u{301}👍🏽x\n\nz"] {
      let sample = Sample(string)
      for start in 0...sample.scalars.count {
        for end in start...sample.scalars.count {
          for inserted in ["", "y", "👨‍👩‍👧\n", "\u{301}"] {
            var text = sample.text
            var scalars = sample.scalars
            let range = text.places(start..<end)
            text.replaceSubrange(range, with: inserted, by: ReplicaID(2))
            scalars.replaceSubrange(start..<end, with: inserted.unicodeScalars)
            var edited = sample.text
            edited.edit(by: ReplicaID(2)) { $0.replaceSubrange(range, with: inserted) }
            let problem = wrongOffset(in: text, of: scalars)
            guard problem == nil, edited == text else {
              Issue.record("\(string), \(start)..<\(end) with \(inserted): \(problem ?? "edit")")
              return
            }
            if start == end, inserted.isEmpty { #expect(text == sample.text) }
          }
        }
      }
    }
  }

  @Test("positions in and between halves of a surrogate pair, and of a byte sequence")
  func insideScalars() {
    let text = ReplicatedText("a👍b漢", by: ReplicaID(1))
    #expect(text.index(2, in: .utf16) == text.index(1, in: .utf16))
    #expect(text.index(3, in: .utf16) > text.index(2, in: .utf16))
    for inside in 2...4 { #expect(text.index(inside, in: .utf8) == text.index(1, in: .utf8)) }
    for inside in 7...8 { #expect(text.index(inside, in: .utf8) == text.index(6, in: .utf8)) }
    #expect(text.offset(of: text.index(2, in: .utf16), in: .utf16) == 1)
    #expect(text.index(.max, in: .utf16) == text.endIndex)
    #expect(text.index(.min, in: .utf16) == text.startIndex)
    #expect(text.index(.max, in: .lines) == text.endIndex)
    #expect(text.index(.min, in: .lines) == text.startIndex)
  }
}
