import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Bytes of texts that no replica wrote, behind a checksum that fits: nothing traps, and
/// what decodes can be read, written and merged.
@Suite("Malformed texts")
struct TextMalformedTests {
  /// A valid state or delta, and the texts that shall take in what is made of it.
  private struct Sample {
    var name: String
    var bytes: [UInt8]
    var isDelta = false
    var peers: [ReplicatedText]
    /// Where the bytes are that are changed one by one: what comes before is that of any text.
    var start = 3

    /// The places of bytes to change; of text, every 64th but for the first and the last bytes.
    var places: [Int] {
      (start..<bytes.count - 4).filter { place in
        let around = bytes[max(place - 4, 0)...min(place + 4, bytes.count - 1)]
        return place % 64 == 0 || !around.allSatisfy { 0x61...0x7A ~= $0 }
      }
    }
  }

  private static let stranger = ReplicatedText("stranger", by: ReplicaID(0x5757))
  private static let newcomer = ReplicaID(0x7777)
  /// More than any sample takes, less than a machine has.
  private static let memory = 1 << 26

  private static let samples: [Sample] = {
    let (phone, laptop, tablet) = (ReplicaID(1), ReplicaID(2), ReplicaID(0x1234_5678_9ABC_DEF0))
    let one = ReplicatedText("ab\n\u{E9}", by: phone)
    var left = one
    left.insert("漢X", at: left.place(1), by: laptop)
    left.insert("<", at: left.startIndex, by: laptop)
    left.removeSubrange(left.places(2..<4), by: laptop)
    var right = one
    right.insert("👍", at: right.place(2), by: tablet)
    right.replaceSubrange(right.places(0..<1), with: "\r\nA", by: tablet)
    var both = left.merging(right)
    let before = both
    both.append("z", by: phone)
    both.insert("mid", at: both.place(3), by: laptop)
    both.removeSubrange(both.places(1..<6), by: phone)
    both.insert("?", at: both.place(1), by: tablet)
    var forgetful = both
    for place in forgetful._table.columns.indices {
      let seen = forgetful._table.columns[place].seen
      forgetful._table.columns[place].kills = KillLog(floor: seen)
    }
    let peers = [ReplicatedText(), one, left, both, stranger]
    func delta(_ name: String, _ text: ReplicatedText, _ version: VersionVector) -> Sample {
      let bytes = text.delta(since: version).encoded()
      return Sample(name: name, bytes: bytes, isDelta: true, peers: peers + [before])
    }
    return [
      Sample(name: "empty", bytes: ReplicatedText().encoded(), peers: peers),
      Sample(name: "one", bytes: one.encoded(), peers: peers),
      Sample(name: "left", bytes: left.encoded(), peers: peers),
      Sample(name: "both", bytes: both.encoded(), peers: peers),
      delta("first", one, [:]), delta("left", left, one.version),
      delta("removals", both, before.version), delta("survivors", forgetful, before.version),
    ] + longSamples
  }()

  /// A state of several pages, and a delta from the middle of one.
  private static let longSamples: [Sample] = {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(0x1234_5678_9ABC_DEF0))
    let pasted = ReplicatedText(String(repeating: "abcdefg", count: 300), by: phone)
    var (text, undo) = (pasted, UndoStack(for: laptop))
    undo.edit(&text) { $0.removeSubrange($0.text.places(700..<1_400)) }
    text.insert("twenty letters again", at: text.place(50), by: laptop)
    undo.undo(in: &text)
    undo.redo(in: &text)
    // From event 724 to event 1,423 of the laptop.
    undo.undo(in: &text)
    text.removeSubrange(text.places(750..<1_400), by: phone)
    text.removeSubrange(text.places(100..<700), by: phone)
    let base: VersionVector = [phone: 1_000]
    let counters = text.version.map(\.counter)
    return [
      Sample(
        name: "long", bytes: text.encoded(), peers: [ReplicatedText(), pasted],
        start: elementsOffset(counters)),
      Sample(
        name: "long delta", bytes: text.delta(since: base).encoded(), isDelta: true,
        peers: [pasted, text], start: elementsOffset(counters, afterFirst: 1_000)),
    ]
  }()

  /// Decodes the bytes and uses what they hold; returns whether there was something.
  private func examine(_ sample: Sample, _ bytes: [UInt8], _ what: String) -> Bool {
    let place = bytes.reduce(0) { $0 + Int($1) } % sample.peers.count
    let peers = isLongRun ? sample.peers : [sample.peers[place]]
    do {
      let problem = try sample.isDelta ? useDelta(bytes, peers) : useState(bytes, peers)
      if let problem { Issue.record("\(sample.name), \(what): \(problem)\n\(bytes)") }
      return true
    } catch {
      return false
    }
  }

  /// Whether these bytes are among the one in three with which everything is tried; all are
  /// in long runs.
  private func isSampled(_ bytes: [UInt8]) -> Bool {
    isLongRun || bytes.reduce(0) { $0 + Int($1) } % 3 == 0
  }

  /// What is wrong with the state that the bytes hold.
  private func useState(
    _ bytes: [UInt8], _ peers: [ReplicatedText]
  ) throws(DecodingFailure) -> String? {
    let text = try ReplicatedText(decoding: bytes, maximumMemoryBytes: Self.memory)
    if text.encoded() != bytes { return "it is encoded otherwise" }
    if let problem = use(text) { return problem }
    if text.merging(text).encoded() != bytes { return "merging with itself changes it" }
    guard isSampled(bytes) else { return nil }
    for peer in peers {
      for merged in [text.merging(peer), peer.merging(text)] {
        merged._table.checkEveryInvariant()
        if let problem = read(merged) { return "merged: \(problem)" }
      }
      _ = (text.changes(since: peer), peer.changes(since: text, in: .utf8))
      var taker = peer
      _ = try? taker.merge(decoding: bytes)
      _ = try? taker.apply(text.delta(since: taker.version))
      if let problem = use(taker) { return "taken in: \(problem)" }
      let isApart = peer.version.allSatisfy { text.version[$0.replica] == 0 }
      if isApart, text.merging(peer).encoded() != peer.merging(text).encoded() {
        return "merging depends on the order"
      }
    }
    return nil
  }

  /// What is wrong with the delta that the bytes hold.
  private func useDelta(
    _ bytes: [UInt8], _ peers: [ReplicatedText]
  ) throws(DecodingFailure) -> String? {
    let delta = try TableDelta<ReplicatedText>(
      decoding: bytes, maximumMemoryBytes: Self.memory)
    if delta.encoded() != bytes { return "it is encoded otherwise" }
    for peer in peers {
      var taker = peer
      do throws(DeltaError) {
        try taker.apply(delta)
      } catch {
        if taker.encoded() != peer.encoded() { return "refused (\(error)), but changed" }
      }
      taker._table.checkEveryInvariant()
      if let problem = read(taker) { return "applied: \(problem)" }
      guard isSampled(bytes) else { continue }
      _ = (taker.changes(since: peer), peer.changes(since: taker))
      var mended = peer
      _ = try? mended.apply(mending: delta)
      if let problem = use(mended) { return "mended: \(problem)" }
    }
    return nil
  }

  /// What is wrong with a text: reads it in every way, and writes in it.
  private func use(_ text: ReplicatedText) -> String? {
    text._table.checkEveryInvariant()
    if let problem = read(text) { return problem }
    let string = String(text)
    _ = ("\(text)", text.debugDescription, text.hashValue, text.contentDigest)
    var written = text
    let middle = written.index(string.utf8.count / 2, in: .utf8)
    let rest = String(written[middle..<written.endIndex])
    let start = String(written[written.startIndex..<middle])
    written.insert("漢\n", at: middle, by: Self.newcomer)
    if String(written) != start + "漢\n" + rest { return "an insertion goes elsewhere" }
    written.set(to: "!" + string, by: Self.newcomer)
    if String(written) != "!" + string { return "it can't be set" }
    written.removeAll(by: Self.newcomer)
    if !written.isEmpty { return "something can't be removed" }
    guard let again = try? written.readBack(), again == written, again.isEmpty else {
      return "what was made of it decodes to another"
    }
    return nil
  }

  private func read(_ text: ReplicatedText) -> String? {
    let string = String(text)
    guard text.count(in: .utf8) == string.utf8.count,
      text.count(in: .utf16) == string.utf16.count,
      text.count(in: .unicodeScalars) == string.unicodeScalars.count
    else { return "the lengths are wrong" }
    for offset in -1...text.count(in: .utf16) + 1 { _ = text.index(offset, in: .utf16) }
    for line in -1...text.count(in: .lines) + 1 { _ = text.index(line, in: .lines) }
    // All of a short text, and a part of a long one.
    let scalars = text.count(in: .unicodeScalars)
    for scalar in stride(from: 0, through: scalars, by: isLongRun ? 1 : scalars / 64 + 1) {
      let index = text.place(scalar)
      if text.offset(of: index, in: .unicodeScalars) != scalar { return "offsets are wrong" }
      for side in [ReplicatedText.Side.before, .after]
      where text.index(of: text.anchor(at: index, side)) != index {
        return "the anchor at \(scalar) is elsewhere"
      }
    }
    let authors = text.authors(in: text.startIndex..<text.endIndex)
    if authors.map({ text[$0.range] }).joined() != string { return "authors are missing" }
    return nil
  }

  @Test("what was encoded is sound as it is")
  func whole() {
    for sample in Self.samples {
      #expect(examine(sample, sample.bytes, "as it is"), "\(sample.name)")
      #expect(sealed(sample.bytes) == sample.bytes, "\(sample.name)")
    }
  }

  @Test("every truncation is refused, and every byte more")
  func truncations() {
    for sample in Self.samples {
      // The heads of long ones are cut at some bytes.
      for length in 0..<sample.bytes.count where length >= sample.start || length % 16 == 0 {
        let cut = Array(sample.bytes.prefix(length))
        #expect(!examine(sample, cut, "cut"), "\(sample.name) cut to \(length)")
        #expect(!examine(sample, sealed(cut), "cut"), "\(sample.name) cut to \(length), sealed")
      }
      #expect(!examine(sample, sealed(sample.bytes + [0]), "a byte more"), "\(sample.name)")
    }
  }

  @Test("every byte changed, behind a checksum that fits")
  func bytes() {
    var decoded = 0
    for sample in Self.samples {
      forEachChangedByte(
        of: sample.bytes, at: sample.places, to: [0, 0xFF], flipping: [1, 0x80], adding: [1]
      ) { bytes, what in
        if examine(sample, bytes, what) { decoded += 1 }
      }
    }
    #expect(decoded > 100, "changes must get past the checksum")
  }

  @Test("random damage behind a checksum that fits")
  func damage() {
    let rounds = scheduleCount(450, long: 20_000)
    forEachDamage(of: Self.samples.map(\.bytes), rounds: rounds) { sample, bytes, what in
      _ = examine(Self.samples[sample], bytes, what)
    }
  }

  @Test("two damaged texts merge without a trap, and both ways can be read")
  func damagedTogether() {
    let states = Self.samples.filter { !$0.isDelta }.map(\.bytes)
    var found: [ReplicatedText] = []
    var random = SeededGenerator(seed: 8)
    for round in 0..<4_000 where found.count < 24 {
      let bytes = damaged(states[round % states.count], with: states, using: &random)
      let text = try? ReplicatedText(decoding: bytes, maximumMemoryBytes: Self.memory)
      if let text, !text.isEmpty { found.append(text) }
    }
    #expect(found.count > 8, "seed 8")
    for (number, left) in found.enumerated() {
      for right in found[number...] {
        if let problem = use(left.merging(right)) ?? use(right.merging(left)) {
          Issue.record("seed 8: \(problem)\n\(left.encoded())\n\(right.encoded())")
          return
        }
      }
    }
  }
}
