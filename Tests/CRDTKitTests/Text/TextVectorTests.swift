import CRDTKit
import CRDTTestSupport
import Testing

/// Bytes of texts that decode for ever, and are what is written today.
@Suite("Frozen vectors of texts")
struct TextVectorTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(0xFFFF_0000_0000_0001)

  private var text: ReplicatedText {
    var text = ReplicatedText("Hello wörld", by: phone)
    var copy = text
    copy.insert("👍", at: copy.index(5, in: .unicodeScalars), by: laptop)
    text.removeSubrange(text.startIndex..<text.index(1, in: .utf8), by: phone)
    text.insert("J", at: text.startIndex, by: phone)
    text.merge(copy)
    return text
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test("a state is what it was")
  func state() throws {
    #expect(
      hexadecimal(text.encoded())
        == "c4d7022c0200000000000000011a112aeda6055283c9e082ed7916bf5043349a33fdcf98c40c2fd13b"
        + "1588d0406357d6ff747a8c0a4d89733b46fb934f3980086f02ffff00000000000102b88e3163010100"
        + "04bc000000000011130c656c6c6f2077c3b6726c644a0101000210650104f09f918d7c8cee4a")
    #expect(String(text) == "Jello👍 wörld")
  }

  @Test("a delta is what it was")
  func delta() throws {
    let delta = text.delta(since: [phone: 11])
    #expect(
      hexadecimal(delta.encoded())
        == "c4d7021f2c0200000000000000010b04112aeda6fb934f3980086f02ffff0000000000010002b88e31"
        + "63010100021113014a0101000210650104f09f918d000101020200b026fa0c")
    var copy = ReplicatedText("Hello wörld", by: phone)
    try copy.apply(decoding: delta.encoded())
    #expect(copy == text)
  }

  @Test("a text with marks is what it was")
  func marks() throws {
    var text = ReplicatedText("0123456789", by: phone)
    text.mark(text.places(1..<4), as: "b", by: phone)
    var copy = text
    text.mark(text.places(0..<10), as: "link", value: "ö", growing: .neither, by: phone)
    copy.unmark(copy.places(2..<3), as: "b", by: laptop)
    text.merge(copy)
    #expect(
      hexadecimal(text.encoded())
        == "c4d7022c02000000000000000118bba307757dae4b22d9a97d476018e589508caa2e0383f8b53e4e5c"
        + "2b726cff0139c5577c30c9bc816d761d9cc8377e0affff000000000001027c0dbe1c030a0101623c09"
        + "00000000000000010c00046c696e6b3e0e2402c3b6010002a000000a30313233343536373839020000"
        + "01624c0d00000000000000010429e7c753")
    #expect(try ReplicatedText(decoding: text.encoded()) == text)
  }

  @Test("a row of a mark is what the article on the format says")
  func markRow() {
    var text = ReplicatedText("0123456789", by: phone)
    text.mark(text.places(1..<4), as: "b", by: phone)
    text._table.forEachRow { _, row in
      var writer = ByteWriter()
      row.key.encode(to: &writer)
      row.payload.encode(to: &writer)
      #expect(hexadecimal(writer.finish()) == "01623c0900000000000000010c00")
    }
  }

  /// Two texts of a document: runs that are long and pass the border of a page, gaps of every
  /// kind, elements that stand for others, and starts with names.
  private var document: Document {
    var document = Document(
      schema: Schema(
        collections: ["n": Schema.Collection(fields: ["a": .text, "b": .text])]))
    func edit(_ field: FieldPath, _ replica: ReplicaID, _ body: (inout Document.TextEditor) -> Void)
    {
      document.edit(at: HybridTimestamp(milliseconds: 1, replica: replica)) {
        $0.editText(field, of: "1", in: "n", body)
      }
    }
    edit("a", phone) { $0.append("sixteen letters!") }
    edit("b", phone) { $0.append("twenty letters") }
    edit("a", phone) { text in
      // As when a user types, takes it back, and goes on.
      text.append("xyz")
      for _ in 0..<2 { text.removeSubrange(text.range(18 - 1..<18)) }
      text.append("abc")
      var undo = UndoStack(for: phone)
      undo.edit(&text) { $0.removeSubrange($0.range(3..<8)) }
      undo.undo(in: &text)
      undo.edit(&text) { $0.removeSubrange($0.range(0..<1)) }
      text.append("é")
    }
    edit("b", phone) { text in
      text.append(String(repeating: "0123456789", count: 100))
      text.removeSubrange(text.range(20..<1_010))
      text.append("end")
    }
    edit("b", laptop) { $0.insert("<", at: $0.text.startIndex) }
    edit("a", laptop) { $0.append(">") }
    return document
  }

  @Test("texts of a document are what they were")
  func documents() throws {
    let bytes = document.encoded()
    // Two pages: 7 runs, the first of 16 elements after a gap of two; then 2 runs, of which
    // the first goes on with the last of the page before.
    let elements =
      "02000eff0001010000020401005fd48ff2401cb56758a80d7316bb9b9300e3000100372b8ec53a1a"
      + "6b8e4c79b4c603f1e5fb0039029802003239512ee90411781609c607a802000005fc0d0000173118"
      + "003069786c657474657273217477656e7479206c657474657273786162637465656e20c3a9303132"
      + "33343536373839656e64"
    #expect(hexadecimal(bytes).contains(elements))
    #expect(hexadecimal(Array(bytes.dropLast(4))).hasSuffix("01000410d5020111e4030136023c3e"))
    #expect(
      SHA256.hexadecimalDigest(of: bytes)
        == "8c28aa5ee72a91beac90e67e6c25ae150351e7945ca785249ec3b49ac61e277e")
    let decoded = try Document(decoding: bytes)
    #expect(decoded == document && decoded.encoded() == bytes)
    let texts = (["a", "b"] as [FieldPath]).map { decoded.text(of: $0, of: "1", in: "n") }
    #expect(
      texts.map { $0.map(String.init) } == [
        "ixteen letters!xabc\u{E9}>", "<twenty letters0123456789end",
      ])
  }
}
