import CRDTKit
import CRDTTestSupport
import Testing

/// Elements of texts that could be written otherwise, or that no text can have, one for each
/// rule of the article on the format: each is a valid encoding with just that changed.
@Suite("Refused elements of texts")
struct TextRefusalTests {
  /// Elements of replica 1 that are refused, and the valid ones from which they are made; all
  /// in hexadecimal.
  private struct Rule {
    let name: String
    let valid: String
    let wrong: String
    let reason: DecodingFailure.Reason
    /// The replica's events, those after the base of a delta, and how many of them have rows.
    var (seen, base): (UInt64, UInt64) = (8, 0)
    /// The rows of the replica before its elements.
    var rows = "01"
    /// Whether replica 2 has an event, too.
    var hasOther = false

    init(_ name: String, _ valid: String, _ wrong: String, _ reason: DecodingFailure.Reason) {
      (self.name, self.valid, self.wrong, self.reason) = (name, valid, wrong, reason)
    }

    /// The same with other events.
    func with(seen: UInt64 = 8, base: UInt64 = 0, rows: String = "01", other: Bool = false) -> Rule
    {
      var rule = self
      (rule.seen, rule.base, rule.rows, rule.hasOther) = (seen, base, rows, other)
      return rule
    }

    /// A state with the elements, or a delta after the base.
    func bytes(_ elements: String) -> [UInt8] {
      forged(base > 0 ? [31, 44] : [44]) { writer in
        writer.write(varint: hasOther ? 2 : 1)
        if base > 0 {
          writer.write(head: ReplicaID(1), base: base, seen: seen)
        } else {
          writer.write(head: ReplicaID(1), seen: seen)
          if hasOther { writer.write(head: ReplicaID(2), seen: 1) }
        }
        writer.write(TextRefusalTests.bytes(rows) + TextRefusalTests.bytes(elements))
        if hasOther { writer.write(0 as UInt8) }
        if base > 0 { writer.write([0, 0]) }
      }
    }

    /// Decodes the bytes, and returns what is encoded of that.
    func recode(_ bytes: [UInt8]) throws(DecodingFailure) -> [UInt8] {
      base > 0
        ? try TableDelta<ReplicatedText>(decoding: bytes).encoded()
        : try ReplicatedText(decoding: bytes).encoded()
    }
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private func check(_ rules: [Rule]) {
    for rule in rules {
      let valid = rule.bytes(rule.valid)
      do throws(DecodingFailure) {
        let recoded = try rule.recode(valid)
        #expect(recoded == valid, "\(rule.name), before the change")
      } catch {
        Issue.record("\(rule.name), before the change: \(error)")
      }
      do throws(DecodingFailure) {
        _ = try rule.recode(rule.bytes(rule.wrong))
        Issue.record("\(rule.name): not refused")
      } catch {
        #expect(error.reason == rule.reason, "\(rule.name)")
      }
    }
  }

  private let run = DecodingFailure.Reason.outOfBounds("a run of a text")

  @Test("the length of a run")
  func lengths() {
    check([
      Rule(
        "a length up to the end of the page", "010002 07F4070000 00", "010002 A7F4070000 00", run
      )
      .with(seen: 1_024),
      Rule("a long one up to the end", "010002 040000 00", "010002 F4F1070000 00", run)
        .with(seen: 1_024),
      Rule("past the end", "010002 F4F0070000 00", "010002 F4F2070000 00", run).with(seen: 1_024),
      Rule("past the end, after a gap", "010002 67F4070000 00", "010002 B7F4070000 00", run)
        .with(seen: 1_024),
      Rule("longer than a page", "010002 F4000000 00", "010002 F480080000 00", run)
        .with(seen: 1_024),
      Rule(
        "to the end of the page, past the last event", "010002 300000 03616263",
        "010002 000000 03616263", .outOfBounds("an element of a text")),
      Rule(
        "past the last event", "010002 300000 03616263", "010002 400000 0461626364",
        .outOfBounds("an element of a text")
      ).with(seen: 3),
    ])
  }

  @Test("the counters left out before a run")
  func gaps() {
    let reason = DecodingFailure.Reason.notCanonical("a run of a text")
    check([
      Rule(
        "a number for as many as were deleted", "010004 48020000 120000 03616263",
        "010004 48020000 13000000 03616263", reason),
      Rule(
        "as many as were deleted for one", "010004 48010000 110000 0461626364",
        "010004 48010000 120000 0461626364", reason),
      Rule(
        "as many as were deleted for none", "010004 400000 100000 056162636465",
        "010004 400000 120000 056162636465", reason),
      Rule(
        "as many as were deleted, before any run", "010002 300000 03616263",
        "010002 320000 03616263", reason),
      Rule(
        "as many as were deleted in the page before", "020002 07FC070000 000213000000 0161",
        "020002 07FC070000 0002120000 0161", reason
      ).with(seen: 1_027),
      Rule("past the end of the page", "010002 13020000 0161", "010002 13FE070000 0161", run),
      Rule(
        "as many as were deleted, past the end of the page", "010004 F4F0070000 000000 0161",
        "010004 F4F0070000 020000 0161", run
      ).with(seen: 1_024),
    ])
  }

  @Test("which elements of a run are dead")
  func dead() {
    let some = "010002 5C0001010000 03616263"
    let form = DecodingFailure.Reason.notCanonical("a run of a text")
    check([
      Rule("all, as runs", "010002 340000 00", "010002 3C0000020000 00", form),
      Rule("all, as the last ones", "010002 340000 00", "010002 38030000 00", run),
      Rule("the last ones, as runs", "010002 38010000 026162", "010002 3C0002000000 026162", form),
      Rule("none, as the last ones", "010002 300000 03616263", "010002 38000000 03616263", run),
      Rule(
        "runs with nothing between them", some, "010002 5C01010000000000 03616263", run),
      Rule("a run that begins past the end", some, "010002 5C0005000000 03616263", run),
      Rule("a run that ends past the end", some, "010002 5C0001040000 03616263", run),
      Rule("more runs than elements", some, "010002 5C0501010000 03616263", run),
    ])
  }

  @Test("where a run begins")
  func beginnings() {
    let beginning = DecodingFailure.Reason.outOfBounds("the beginning of a run of a text")
    let joined = DecodingFailure.Reason.notCanonical("a run of a text")
    let pages = "020002 040000 000310 0161"
    check([
      Rule("going on with nothing", "010002 300000 03616263", "010003 30 03616263", beginning),
      Rule("going on after a gap", pages, "020002 040000 000311 0161", beginning)
        .with(seen: 1_026),
      Rule("going on with what a delta lacks", "010002 100800 0161", "010003 10 0161", beginning)
        .with(seen: 1_025, base: 1_024),
      Rule(
        "an anchor of the run before", "010002 300000 03616263",
        "010004 200000 100800 03616263", joined),
      Rule(
        "an anchor of a left child's run before", "010004 300000 4019 0761626364656667",
        "010006 300000 2019 20080A 0761626364656667", joined),
      Rule(
        "an anchor of the run before in another page", pages, "020002 040000 0002100800 0161",
        joined
      ).with(seen: 1_026),
    ])
  }

  private let anchor = DecodingFailure.Reason.outOfBounds("the anchor of a text")

  @Test("the parent of an element")
  func parents() {
    let reason = DecodingFailure.Reason.notCanonical("the anchor of a text")
    let valid = "010004 200000 101800 03616263"
    check([
      Rule("from the last parent, no shorter", valid, "010004 200000 101200 03616263", reason),
      Rule(
        "from the element, longer", "010004 F4220000 101200 0161", "010004 F4220000 10880600 0161",
        reason
      ).with(seen: 50),
      Rule("a later element", valid, "010004 200000 101000 03616263", anchor),
      Rule("the element itself", valid, "010004 200000 103200 03616263", anchor),
      Rule("no event", valid, "010004 200000 102800 03616263", anchor),
      Rule(
        "past the greatest counter", "010002 10F4FFFFFFFFFFFF070000000000000000090001 61",
        "010002 108480808080808008 0000000000000000090001 61", anchor),
    ])
  }

  @Test("the right origin of an element")
  func rightOrigins() {
    let valid = "010004 200000 101804 03616263"
    check([
      Rule("the parent", valid, "010004 200000 10180101 03616263", anchor),
      Rule("the element itself", valid, "010004 200000 101808 03616263", anchor),
      Rule("a later element", valid, "010004 200000 10180C 03616263", anchor),
      Rule("no event", valid, "010004 200000 101802 03616263", anchor),
      Rule("of the parent's replica, named", valid, "010004 200000 10180501 03616263", anchor),
      Rule(
        "a later element, at the start of the text", "010004 200000 100006 03616263",
        "010004 200000 100004 03616263", anchor),
    ])
  }

  @Test("the number of elements that stand for others")
  func standIns() {
    let valid = "010004 200000 100E19 03616263"
    let far = "F5FFFFFFFFFFFF07 000000000000000009 0161"
    check([
      Rule("with the lowest bit", valid, "010004 200000 100F19 03616263", anchor),
      Rule("none", valid, "010004 200000 100619 03616263", anchor),
      Rule(
        "more than a page has", "010004 200000 10864019 03616263",
        "010004 200000 108E4019 03616263", anchor),
      Rule("twice", valid, "010004 200000 100E0E19 03616263", anchor),
      Rule(
        "for the end of the text", "010004 200000 101800 03616263",
        "010004 200000 100E1800 03616263", anchor),
      Rule("past the greatest counter", "010002 100E \(far)", "010002 1016 \(far)", anchor),
    ])
  }

  @Test("the replicas of parents and right origins")
  func replicas() {
    let position = DecodingFailure.Reason.outOfBounds("the replica of an anchor")
    let written = DecodingFailure.Reason.notCanonical("the replica of an anchor")
    let parent = "010002 10140200 0161"
    let rightOrigin = "010002 10000102 0161"
    let rules = [
      Rule("the element's own, as another", parent, "010002 10140100 0161", anchor),
      Rule("a position that isn't there", parent, "010002 10140300 0161", position),
      Rule("one in the list", parent, "010002 1014000000000000000002 00 0161", written),
      Rule("a right origin's that isn't there", rightOrigin, "010002 10000103 0161", position),
      Rule(
        "a right origin's in the list", rightOrigin, "010002 1000010000000000000000020161", written),
    ]
    check(rules.map { $0.with(other: true) })
  }

  @Test("the starts of texts")
  func starts() {
    let start = "0000000000000005 0700000000000080"
    let valid = "010004 100100 \(start) 00 10010100 026162"
    check([
      Rule(
        "named twice", valid, "010004 100100 \(start) 00 100100 \(start) 00 026162",
        .notCanonical("the start of a text")),
      Rule(
        "without its highest bit", valid,
        "010004 100100 0000000000000005 0700000000000000 00 10010100 026162",
        .notCanonical("the start of a text")),
      Rule(
        "a position that isn't there", valid, "010004 100100 \(start) 00 10010200 026162",
        .outOfBounds("the start of a text")),
    ])
  }

  @Test("pages, and the text of what isn't dead")
  func pages() {
    let valid = "010002 300000 03616263"
    let runs = DecodingFailure.Reason.outOfBounds("the number of runs of a text")
    check([
      Rule("no pages", valid, "0003616263", .notCanonical("a text without elements")),
      Rule(
        "a page after the last event", valid, "010102 300000 03616263",
        .outOfBounds("a page of text")),
      Rule("a page without runs", valid, "010000 03616263", runs),
      Rule("a page without runs that goes on", valid, "010001 03616263", runs),
      Rule("more text", valid, "010002 300000 0461626364", .invalidText),
      Rule("less text", valid, "010002 300000 026162", .invalidText),
      Rule("no UTF-8", valid, "010002 300000 0361FF63", .invalidText),
      Rule("text of what is dead", "010002 340000 00", "010002 340000 03616263", .invalidText),
      Rule(
        "more bytes than there are", valid, "010002 300000 7F616263",
        .outOfBounds("the number of bytes of text")),
    ])
    let row = "030100 01623C0900000000000000010C00"
    check([
      Rule(
        "an event with a row and an element", "010004 100000 110000 026162",
        "010004 100000 100000 026162", .invalidValue("an event with a row and an element")
      ).with(rows: row)
    ])
  }
}
