import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Canonical forms of text")
struct TextCodingTests {
  @Test("text keeps its bytes: composed and decomposed stay what they were")
  func spellings() throws {
    for text in ["", "a", "é", "e\u{301}", "👩‍👩‍👧", "\u{0}", String(repeating: "ä", count: 500)] {
      let read = try decode(String.self, from: bytes(of: text))
      #expect(Array(read.utf8) == Array(text.utf8))
      #expect(read._fingerprint == text._fingerprint)
    }
    #expect("é" == "e\u{301}")
    #expect(bytes(of: "é") != bytes(of: "e\u{301}"))
    #expect("é"._fingerprint != "e\u{301}"._fingerprint)
  }

  @Test("text in a column leaves out what it shares with the one before")
  func columns() throws {
    #expect(bytes(of: "key-000124", after: "key-000123") == [0x91, 52])
    let seed: UInt64 = 5
    var random = SeededGenerator(seed: seed)
    let parts = ["a", "é", "e\u{301}", "ab", "👩‍👩‍👧", "0123456789", String(repeating: "x", count: 70)]
    var previous: String?
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...4, using: &random)
      let text = (0..<count).compactMap { _ in parts.randomElement(using: &random) }.joined()
      let form = bytes(of: text, after: previous)
      let read = try decode(String.self, from: form, after: previous)
      #expect(Array(read.utf8) == Array(text.utf8), "seed \(seed)")
      for length in form.indices {
        #expect(throws: DecodingFailure.self) {
          try decode(String.self, from: Array(form.prefix(length)), after: previous)
        }
      }
      previous = text
    }
  }

  @Test("what is damaged is refused, or is another text in canonical form")
  func damage() throws {
    let previous = "key-000123"
    let form = bytes(of: "key-000144é and a little more", after: previous)
    for place in form.indices {
      for bit in 0..<8 {
        var damaged = form
        damaged[place] ^= 1 << UInt8(bit)
        if let text = try? decode(String.self, from: damaged, after: previous) {
          #expect(bytes(of: text, after: previous) == damaged, "bit \(bit) of byte \(place)")
        }
      }
    }
  }

  @Test("sharing less or more than there is to share is refused")
  func sharedLength() {
    #expect(throws: DecodingFailure(.notCanonical("the shared length of a text"), at: 0)) {
      try decode(String.self, from: [0x12, 98, 99], after: "abd")
    }
    #expect(throws: DecodingFailure(.outOfBounds("the shared length of a text"), at: 0)) {
      try decode(String.self, from: [0x41, 98], after: "abc")
    }
    #expect(throws: DecodingFailure(.outOfBounds("the shared length of a text"), at: 0)) {
      try decode(String.self, from: [0x11, 98])
    }
    #expect(throws: DecodingFailure(.notCanonical("a number"), at: 1)) {
      try decode(String.self, from: [0x0F, 0x80, 0] + [UInt8](repeating: 97, count: 15))
    }
  }

  @Test("bytes that are not UTF-8 are refused")
  func invalidText() {
    let notText: [[UInt8]] = [
      [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 128, 128, 128],
    ]
    for wrong in notText {
      #expect(throws: DecodingFailure(.invalidText, at: 0)) {
        try decode(String.self, from: [UInt8(wrong.count)] + wrong)
      }
    }
    #expect(throws: DecodingFailure(.invalidText, at: 0)) {
      try decode(String.self, from: [0x10], after: "é")
    }
  }

  @Test("a column of texts grows at most 64 times when decoded")
  func bombBound() throws {
    let long = String(repeating: "x", count: 1_000)
    let form = bytes(of: [String](repeating: long, count: 10_000))
    let texts = try decode([String].self, from: form)
    #expect(texts.count == 10_000 && texts[9_999] == long)
    #expect(texts.reduce(0) { $0 + $1.utf8.count } <= 65 * form.count)

    // One that claims to share all of the thousand bytes before it is refused.
    var writer = ByteWriter()
    writer.write(varint: 2)
    long.encode(to: &writer)
    writer.write([0xF0])
    writer.write(varint: 1_000 - 15)
    let bomb = writer.finish()
    #expect(throws: DecodingFailure.self) { try decode([String].self, from: bomb) }
  }
}
