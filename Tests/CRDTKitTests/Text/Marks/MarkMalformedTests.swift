import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Marks that no replica wrote: nothing traps, and what decodes can be read, marked, written and
/// merged.
@Suite("Malformed marks")
struct MarkMalformedTests {
  private static let (phone, laptop) = (ReplicaID(1), ReplicaID(0x1234_5678_9ABC_DEF0))
  private static let stranger = ReplicaID(0x5757)

  /// Seventeen characters.
  private static let base = ReplicatedText("The f\u{F6}x 👍\njumped.", by: phone)

  /// The same, with a first mark.
  private static let marked: ReplicatedText = {
    var text = base
    text.mark(text.places(4..<7), as: "bold", by: phone)
    return text
  }()

  private static let text: ReplicatedText = {
    var text = marked
    text.mark(text.places(0..<15), as: "link", value: "a", growing: .neither, by: phone)
    var copy = text
    copy.mark(copy.places(5..<9), as: "link", value: "漢", growing: .both, by: laptop)
    copy.unmark(copy.places(2..<6), as: "bold", by: laptop)
    copy.mark(copy.places(8..<9), as: "bold", growing: .atStart, by: laptop)
    text.removeSubrange(text.places(5..<8), by: phone)
    return text.merging(copy)
  }()

  private static let samples: [(name: String, bytes: [UInt8], isDelta: Bool)] = [
    ("state", text.encoded(), false),
    ("delta", text.delta(since: base.version).encoded(), true),
    ("marks", text.delta(since: marked.version).encoded(), true),
  ]

  /// Decodes the bytes and uses what they hold; returns whether there was something.
  private func examine(
    _ sample: (name: String, bytes: [UInt8], isDelta: Bool), _ bytes: [UInt8], _ what: String
  ) -> Bool {
    var text = Self.text
    if sample.isDelta {
      guard let delta = try? TableDelta<ReplicatedText>(decoding: bytes) else { return false }
      if delta.encoded() != bytes { Issue.record("\(sample.name), \(what): encoded otherwise") }
      text = Self.marked
      _ = try? text.apply(delta)
    } else {
      guard let decoded = try? ReplicatedText(decoding: bytes) else { return false }
      if decoded.encoded() != bytes { Issue.record("\(sample.name), \(what): encoded otherwise") }
      text = decoded
    }
    // Everything is tried with one in eight; in long runs, with all.
    let isSampled = isLongRun || bytes.reduce(0) { $0 + Int($1) } % 8 == 0
    if let problem = isSampled ? use(text) : read(text) {
      Issue.record("\(sample.name), \(what): \(problem)\n\(bytes)")
    }
    return true
  }

  /// What is wrong with a text, and with what becomes of it.
  private func use(_ text: ReplicatedText) -> String? {
    for merged in [text, text.merging(Self.text), Self.text.merging(text)] {
      if let problem = read(merged) { return problem }
    }
    var edited = text
    edited.insert("+", at: edited.place(5), by: Self.stranger)
    let count = edited.count(in: .unicodeScalars)
    edited.mark(edited.places(0..<count), as: "bold", value: "new", by: Self.stranger)
    if count > 2 {
      edited.unmark(edited.places(1..<2), as: "link", by: Self.stranger)
      edited.replaceSubrange(edited.places(1..<2), with: "ab", by: Self.stranger)
    }
    edited.set(to: "\(String(edited))!", by: Self.stranger)
    _ = edited.markChanges(since: text)
    return read(edited)
  }

  private func read(_ text: ReplicatedText) -> String? {
    text._table.checkEveryInvariant()
    let runs = Array(text.runs)
    if runs.map({ text[$0.range] }).joined() != String(text) { return "the runs lack text" }
    if zip(runs, runs.dropFirst()).contains(where: { $0.marks == $1.marks }) {
      return "runs with the same marks"
    }
    guard let decoded = try? text.readBack() else { return "not decoded" }
    if Array(decoded.runs) != runs { return "other runs after decoding" }
    return nil
  }

  @Test("every truncation is refused, and what is whole is sound")
  func truncations() {
    for sample in Self.samples {
      #expect(examine(sample, sample.bytes, "as it is"))
      for length in 0..<sample.bytes.count {
        #expect(!examine(sample, sealed(Array(sample.bytes.prefix(length))), "cut to \(length)"))
      }
    }
  }

  @Test("every byte changed, behind a checksum that fits")
  func bytes() {
    var decoded = 0
    for sample in Self.samples {
      forEachChangedByte(of: sample.bytes, to: [0xFF], flipping: [1, 4]) { bytes, what in
        if examine(sample, bytes, what) { decoded += 1 }
      }
    }
    #expect(decoded > 100, "changes must get past the checksum")
  }

  @Test("random damage behind a checksum that fits")
  func damage() {
    let rounds = scheduleCount(60, long: 20_000)
    forEachDamage(of: Self.samples.map(\.bytes), rounds: rounds) { sample, bytes, what in
      _ = examine(Self.samples[sample], bytes, what)
    }
  }

  /// A text with a row that nobody would write.
  private func forged(
    _ start: ReplicatedText.Anchor, _ end: ReplicatedText.Anchor, name: String = "bold",
    stamp: UInt64 = 5
  ) -> ReplicatedText {
    var text = Self.text
    let row = ReplicatedText.MarkRow(start: start, end: end, value: "forged", stamp: stamp)
    text._table.write(
      Row(key: ReplicatedText.MarkKey(name: name), payload: row), by: Self.stranger, killing: [])
    return text
  }

  private func anchor(
    _ counter: UInt64?, _ side: ReplicatedText.Side, of replica: ReplicaID = phone
  ) -> ReplicatedText.Anchor {
    ReplicatedText.Anchor(element: counter.map { Dot(replica, $0) }, side: side)
  }

  @Test("anchors that name nothing, or an end before the start, mark nothing")
  func nothing() {
    let shown = Array(Self.text.runs.map(\.marks))
    let odd = [
      (anchor(900, .before), anchor(nil, .before)), (anchor(1, .before), anchor(900, .after)),
      (anchor(1, .before), anchor(1, .after, of: ReplicaID(77))),
      (anchor(18, .before), anchor(nil, .before)), (anchor(5, .before), anchor(2, .after)),
      (anchor(3, .after), anchor(3, .before)), (anchor(3, .before), anchor(3, .before)),
      (anchor(1, .before, of: Self.laptop), anchor(nil, .before)),
    ]
    for (start, end) in odd {
      let text = forged(start, end)
      #expect(text.runs.map(\.marks) == shown)
      if let problem = use(text) { Issue.record("\(start), \(end): \(problem)") }
    }
  }

  @Test("names that are too long, stamps out of bounds, and ends that can't be are refused")
  func refused() {
    let (start, end) = (anchor(1, .before), anchor(3, .after))
    let stampMax = ReplicatedText.MarkRow.stampMax
    let nameMax = String(repeating: "n", count: ReplicatedText.MarkKey.lengthMax)
    let fine = [
      forged(start, end), forged(start, end, name: nameMax), forged(start, end, stamp: stampMax),
    ]
    for text in fine {
      #expect((try? text.readBack()) == text)
      if let problem = use(text) { Issue.record("\(problem)") }
    }
    let odd = [
      forged(start, end, name: nameMax + "n"), forged(start, end, stamp: 0),
      forged(start, end, stamp: stampMax + 1), forged(start, end, stamp: .max >> 5),
      forged(anchor(nil, .before), end), forged(start, anchor(nil, .after)),
      forged(anchor(0, .before), end), forged(start, anchor(1 << 48, .before)),
    ]
    for text in odd { #expect(throws: DecodingFailure.self) { try text.readBack() } }
  }

  @Test("after the greatest stamp, marks are still written, and all replicas show the same")
  func greatestStamp() {
    var text = forged(
      anchor(nil, .after), anchor(nil, .before), stamp: ReplicatedText.MarkRow.stampMax)
    var copy = text
    text.mark(text.places(0..<3), as: "bold", value: "1", by: Self.phone)
    copy.mark(copy.places(1..<4), as: "bold", value: "2", by: Self.laptop)
    #expect(Array(text.merging(copy).runs) == Array(copy.merging(text).runs))
    if let problem = use(text.merging(copy)) { Issue.record("\(problem)") }
  }

  @Test("a name of more than 1,024 bytes is the caller's mistake")
  func longName() async {
    await #expect(processExitsWith: .failure) {
      var text = ReplicatedText("a", by: ReplicaID(1))
      text.mark(
        text.startIndex..<text.endIndex, as: String(repeating: "n", count: 1_025),
        by: ReplicaID(1))
    }
  }
}
