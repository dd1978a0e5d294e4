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
        == "c4d7022d250c02000000000000000114068f4a48f67d10ef58ca2f6787c8108d651e217980498caec5"
        + "76f0cc98036b6c9530ea84cd7d43a5ffff000000000001085ea2a9931ea61cb6c40d2e8468de009405"
        + "020003013200000000000000010205627265616405012802046d696e740100043b0102000013013800"
        + "022020030201330000000000000001000c02044d696c6b0100021145010120e44fab76")
    #expect(list.values == ["bread", "Milk", "mint"])
    #expect(try list.readBack() == list)
  }

  @Test("a delta is what it was")
  func delta() throws {
    let delta = list.delta(since: [phone: 6])
    #expect(
      hexadecimal(delta.encoded())
        == "c4d7021f2d250c0200000000000000010608068f4a48c576f0cc98036b6c9530ea84cd7d43a5ffff00"
        + "000000000100085ea2a9931ea61cb6c40d2e8468de00940301012b0000000000000001012802046d69"
        + "6e74010002130138000120030201330000000000000001000c02044d696c6b01000211450101200002"
        + "01020a0102050201020c030209648e467f")
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
        == "c4d7022d2202000000000000000104ac7fc9ace30a34a4ffff0000000000010abc815b9ade9a68d78b"
        + "2bdc1e23118b9d8aa8f0d6030000120000000000000001020003000100021500000003040013000000"
        + "0000000001000100041125011119022020e6b63f2a")
    #expect(basket.map(\.value) == [3, 0])
  }

  @Test("states in which the rows of an insertion are apart, as they were written, decode")
  func earlier() throws {
    let first =
      "c4d7022d250c02000000000000000114aa4966be03b9a4618525cd30aee926d4a4eb665778a78370fe"
      + "fcf6d469a314aed2d6d3df39e45a60ffff00000000000108353b78b75af8913429f0abc44d68e00f05"
      + "050000012200000000000000010205627265616405013802046d696e74010004390200001303580002"
      + "2020030201230000000000000001000c02044d696c6b0100021125010120ff2fc17a"
    let list = try ReplicatedList<MVRegister<String>>(decoding: bytes(first))
    #expect(list.values == ["bread", "Milk", "mint"] && hexadecimal(list.encoded()) == first)
    let second =
      "c4d7022d2202000000000000000104ac7fc9ace30a34a4ffff00000000000108af47d061a87dd74fce"
      + "5a916dd3a03aa003000012000000000000000102000300010002150000000303001300000000000000"
      + "01000100041025011119022020794fbd07"
    let basket = try ReplicatedList<PNCounter>(decoding: bytes(second))
    #expect(basket.map(\.value) == [3, 0] && hexadecimal(basket.encoded()) == second)
  }

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
