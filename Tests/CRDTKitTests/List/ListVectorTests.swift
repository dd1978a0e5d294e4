import CRDTKit
import CRDTTestSupport
import Testing

/// Bytes of lists that decode for ever, and are what is written today.
@Suite("Frozen vectors of lists")
struct ListVectorTests {
  private let phone = ReplicaID(1)
  private let laptop = ReplicaID(0xFFFF_0000_0000_0001)

  /// A list in which an element was moved, one written, one removed and one added.
  private var list: ReplicatedList<MVRegister<String>> {
    var list = ReplicatedList<MVRegister<String>>()
    list.append(contentsOf: ["milk", "tea", "bread"], by: phone)
    var copy = list
    copy.move(from: 2, to: 0, by: laptop)
    copy.replace(at: 1, with: "Milk", by: laptop)
    list.remove(at: 1, by: phone)
    list.append("mint", by: phone)
    list.merge(copy)
    return list
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test("a state is what it was")
  func state() throws {
    #expect(
      hexadecimal(list.encoded())
        == "c4d7022d250c02000000000000000114aa4966be03b9a4618525cd30aee926d4a4eb665778a78370fefc"
        + "f6d469a314aed2d6d3df39e45a60ffff00000000000108353b78b75af8913429f0abc44d68e00f050500"
        + "00012200000000000000010205627265616405013802046d696e74010003010204000201010200000003"
        + "2c00022020030201230000000000000001000c02044d696c6b010002010000010013010120baef52c3")
    #expect(list.values == ["bread", "Milk", "mint"])
    #expect(try list.readBack() == list)
  }

  @Test("a delta is what it was")
  func delta() throws {
    let delta = list.delta(since: [phone: 6])
    #expect(
      hexadecimal(delta.encoded())
        == "c4d7021f2d250c0200000000000000010608aa4966befefcf6d469a314aed2d6d3df39e45a60ffff0000"
        + "000000010008353b78b75af8913429f0abc44d68e00f0301011b0000000000000001013802046d696e74"
        + "01000209000001002c000120030201230000000000000001000c02044d696c6b01000201000001001301"
        + "012000020102060102040201020803020544e3e615")
    var copy = ReplicatedList<MVRegister<String>>()
    copy.append(contentsOf: ["milk", "tea", "bread"], by: phone)
    try copy.apply(decoding: delta.encoded())
    #expect(copy == list && copy.values == list.values)
  }

  @Test("a list of counters is what it was")
  func counters() throws {
    var basket = ReplicatedList<PNCounter>()
    try basket.append(by: phone) { try $0.increment(3) }
    basket.insert(at: 0, by: laptop) { _ in }
    basket.move(from: 1, to: 0, by: laptop)
    #expect(
      hexadecimal(basket.encoded())
        == "c4d7022d2202000000000000000104ac7fc9ace30a34a4ffff00000000000108af47d061a87dd74fce5a"
        + "916dd3a03aa0030000120000000000000001020003000100020100010100000000030300130000000000"
        + "00000100010003000000000002001301010d02202056f4bca8")
    #expect(basket.map(\.value) == [3, 0])
  }
}
