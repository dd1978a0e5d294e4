import CRDTKit
import Testing

@Suite("Texts of others in messages")
struct VisibleTextTests {
  @Test("what controls, formats, turns or ends lines is escaped")
  func hidden() {
    for scalar in "\u{0}\u{7}\n\r\u{1B}\u{7F}\u{85}\u{9B}".unicodeScalars { check(scalar) }
    for scalar in "\u{AD}\u{61C}\u{180E}\u{200B}\u{200C}\u{200D}\u{200E}\u{200F}".unicodeScalars {
      check(scalar)
    }
    for scalar in "\u{2028}\u{2029}\u{202A}\u{202E}\u{2060}\u{2066}\u{2069}".unicodeScalars {
      check(scalar)
    }
    for scalar in "\u{FEFF}\u{FFF9}\u{E0001}\u{E0041}".unicodeScalars { check(scalar) }
  }

  private func check(_ scalar: Unicode.Scalar) {
    let escape = "\\u{\(String(scalar.value, radix: 16))}"
    #expect("a\(scalar)b".hasHidden && "a\(scalar)b".visible == "a\(escape)b")
    #expect("\(scalar)".visible == escape)
  }

  @Test("all else stays, and so do joiners where they join")
  func shown() {
    for text in [
      "", "plain 'text' \\ /", "é日本語 🎉", "👩\u{200D}💻", "❤\u{FE0F}\u{200D}🔥",
      "می\u{200C}خواهم", "क\u{94D}\u{200D}ष", "a\u{301}",
    ] {
      #expect(!text.hasHidden && text.visible == text)
    }
    #expect("ma\u{200D}in".visible == "ma\\u{200d}in")
    #expect("م\u{200C}\u{200C}م".visible == "م\\u{200c}\\u{200c}م")
    #expect("م\u{200C} م".visible == "م\\u{200c} م")
  }

  @Test("descriptions of values, names and failures show all that is in them")
  func descriptions() {
    let evil = "a\u{202E}b\u{2028}\u{1B}[2J"
    let record = Document.RecordID(evil, in: evil)
    var document = Document()
    document.edit(at: HybridTimestamp(time: 1, replica: ReplicaID(1))) {
      $0.set("x", of: evil, in: evil, to: .string(evil))
    }
    let texts = [
      "\(record)", "\(document)", "\(Document.Value.string(evil))",
      "\(Document.Value.object([evil: 1]))", "\(SyncFailure.refused(evil))",
      "\(SyncFailure.violation(evil))",
    ]
    for text in texts {
      #expect(!text.hasHidden && text.contains("\\u{202e}"), "\(text.visible)")
    }
    #expect("\(record)" == "a\\u{202e}b\\u{2028}\\u{1b}[2J in a\\u{202e}b\\u{2028}\\u{1b}[2J")
  }
}
