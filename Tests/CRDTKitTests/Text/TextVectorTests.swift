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
        == "c4d7022c0200000000000000011a112aeda6055283c9e082ed7916bf5043349a33fdcf98c40c2fd13b15"
        + "88d0406357d6ff747a8c0a4d89733b46fb934f3980086f02ffff00000000000102b88e31630101000300"
        + "0a0000020000020000000b5d0c656c6c6f2077c3b6726c644a010100020000000100330104f09f918dd4"
        + "aa3849")
    #expect(String(text) == "Jello👍 wörld")
  }

  @Test("a delta is what it was")
  func delta() throws {
    let delta = text.delta(since: [phone: 11])
    #expect(
      hexadecimal(delta.encoded())
        == "c4d7021f2c0200000000000000010b04112aeda6fb934f3980086f02ffff0000000000010002b88e3163"
        + "010100020c000001005d014a010100020000000100330104f09f918d000101020200802ec0ca")
    var copy = ReplicatedText("Hello wörld", by: phone)
    try copy.apply(decoding: delta.encoded())
    #expect(copy == text)
  }
}
