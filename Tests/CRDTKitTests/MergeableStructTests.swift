import CRDTKit
import CRDTTestSupport
import Testing

private let phone = ReplicaID(1)
private let laptop = ReplicaID(2)

private struct Cart: MergeableStruct, Hashable {
  var items = ORSet<String>()
  var total = PNCounter()

  static let fields = Fields(\Cart.items, \Cart.total)
}

private struct Shop: MergeableStruct, Hashable {
  var cart = Cart()
  var name = MVRegister<String>()
  var title = LWWRegister("", at: HybridTimestamp(milliseconds: 0, replica: ReplicaID(0)))
  var visits = 0

  static let fields = Fields(\Shop.cart, \Shop.name, \Shop.title)
}

@Suite("Structs of mergeable fields")
struct MergeableStructTests {
  @Test("keep the laws of merging, nested and all")
  func laws() throws {
    var phones = Shop()
    phones.cart.items.insert("tea", by: phone)
    try phones.cart.total.increment(5, by: phone)
    var laptops = phones
    laptops.cart.items.remove("tea", by: laptop)
    laptops.name.set("corner shop", by: laptop)
    laptops.title.set("Corner", at: HybridTimestamp(milliseconds: 7, replica: laptop))
    phones.cart.items.insert("milk", by: phone)
    phones.name.set("shop", by: phone)
    let states = [Shop(), phones, laptops, phones.merging(laptops)]
    let violation = mergeLawViolation(among: states)
    #expect(violation == nil, "\(violation ?? "")")
  }

  @Test("take in a delta wholly or not at all")
  func atomicity() throws {
    var shop = Shop()
    shop.name.set("shop", by: phone)
    var copy = Shop()
    let late = shop.version
    shop.cart.items.insert("tea", by: phone)
    shop.name.set("corner shop", by: phone)
    let delta = shop.delta(since: late)
    #expect(throws: DeltaError.gap(missing: [phone: 1])) { try copy.apply(delta) }
    #expect(copy == Shop())
    #expect(throws: DeltaError.gap(missing: [phone: 1])) {
      try copy.apply(decoding: delta.encoded())
    }
    #expect(copy == Shop())
    #expect(try copy.apply(shop.delta(since: copy.version)))
    #expect(copy == shop)
    #expect(try !copy.apply(delta))
  }

  @Test("report a fork in any field, and change nothing")
  func forks() throws {
    var here = Shop()
    var there = Shop()
    here.name.set("shop", by: phone)
    there.name.set("corner shop", by: phone)
    there.cart.items.insert("tea", by: laptop)
    let before = here
    #expect(throws: DeltaError.fork(phone)) { try here.merge(decoding: there.encoded()) }
    #expect(here == before)
  }

  @Test("leave alone the fields they don't name")
  func otherFields() {
    var shop = Shop()
    shop.visits = 1
    var other = Shop()
    other.visits = 2
    shop.merge(other)
    #expect(shop.visits == 1)
  }

  @Test("say by their versions which copy has seen more")
  func versions() throws {
    var here = Shop()
    #expect(here.version == Shop().version)
    here.cart.items.insert("tea", by: phone)
    var there = here
    #expect(here.version.compared(to: there.version) == .equal)
    let changes: [(inout Shop) throws -> Void] = [
      { $0.cart.items.insert("milk", by: phone) },
      { try $0.cart.total.increment(2, by: phone) },
      { $0.name.set("shop", by: phone) },
      { $0.title.set("Corner", at: HybridTimestamp(milliseconds: 7, replica: phone)) },
    ]
    for change in changes {
      try change(&here)
      #expect(here.version.contains(there.version) && !there.version.contains(here.version))
      #expect(there.version.compared(to: here.version) == .before)
      #expect(here.version.hashValue != there.version.hashValue)
      var other = there
      other.name.set("corner shop", by: laptop)
      #expect(here.version.compared(to: other.version) == .concurrent)
      #expect(here.merging(other).version == here.version.merging(other.version))
      there.merge(here)
      #expect(here.version == there.version)
    }
  }

  @Test("have encoded versions and deltas that are refused when damaged")
  func coding() throws {
    var shop = Shop()
    shop.cart.items.insert("tea", by: phone)
    shop.name.set("shop", by: laptop)
    let version = shop.version.encoded()
    #expect(try Shop.Version(decoding: version).encoded() == version)
    #expect(try shop.delta(since: Shop.Version(decoding: version)).encoded().count < 90)
    let delta = shop.delta(since: Shop().version).encoded()
    for length in delta.indices {
      #expect(throws: DecodingFailure.self) {
        try Shop.Delta(decoding: Array(delta.prefix(length)))
      }
    }
    #expect(throws: DecodingFailure.self) { try Cart.Delta(decoding: delta) }
    #expect(throws: DecodingFailure.self) { try Shop.Version(decoding: delta) }
  }
}
