import CRDTKit
import CRDTTestSupport
import Foundation
import Testing

@Suite("Whole messages and Codable")
struct BytesCodableTests {
  struct Cart: Equatable, Codable, BinaryCodable {
    var items = ORSet<String>()
    var total = PNCounter()
    var note = LWWRegister<String?>(
      nil, at: HybridTimestamp(milliseconds: 1, replica: ReplicaID(1)))
  }

  @Test("a struct of states encodes, decodes and has a digest, as states do")
  func structs() throws {
    var cart = Cart()
    let empty = cart.digest
    cart.items.insert("milk", by: ReplicaID(1))
    try cart.total.increment(3, by: ReplicaID(1))
    cart.note.set("soon", at: HybridTimestamp(milliseconds: 2, replica: ReplicaID(1)))
    let form = cart.encoded()
    #expect(try Cart(decoding: form) == cart)
    #expect(cart.digest != empty)
    for length in form.indices {
      #expect(throws: DecodingFailure.self) { try Cart(decoding: Array(form.prefix(length))) }
    }
    #expect(throws: DecodingFailure.self) { try PNCounter(decoding: form) }
  }

  @Test("states in JSON are their canonical bytes, and are checked as such")
  func json() throws {
    var cart = Cart()
    try cart.total.decrement(3, by: ReplicaID(1))
    let json = try JSONEncoder().encode(cart)
    #expect(try JSONDecoder().decode(Cart.self, from: json) == cart)
    let counter = try JSONEncoder().encode([cart.total])
    #expect(try JSONDecoder().decode([[UInt8]].self, from: counter) == [cart.total.encoded()])
    let stamp = HybridTimestamp(milliseconds: 2, replica: ReplicaID(1))
    #expect(String(decoding: try JSONEncoder().encode(stamp), as: UTF8.self) == "\"\(stamp)\"")

    var broken = cart.total.encoded()
    broken[5] ^= 1
    let data = try JSONEncoder().encode([broken])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([PNCounter].self, from: data) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(HybridTimestamp.self, from: Data("\"1.0\"".utf8))
    }
  }
}
