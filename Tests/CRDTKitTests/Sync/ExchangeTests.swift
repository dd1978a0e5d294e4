import CRDTKit
import CRDTTestSupport
import Testing

/// Two peers over a stream that delivers what it is given.
@Suite("Peer session: exchanges")
struct ExchangeTests {
  @Test("both come to hold the same, whatever the pieces the bytes come in")
  func pieces() {
    func check<Value: SyncSample>(_: Value.Type, limits: SyncLimits) {
      for chunk in [1, 2, 3, 7, 64, 65, 1_000, .max] {
        var wire = Value.wire(limits: limits)
        let expected = wire.left.value.merging(wire.right.value)
        wire.sync(chunk: chunk)
        #expect(wire.discrepancy(from: expected) == nil, "pieces of \(chunk)")
        #expect(wire.left.learnedCount == 1 && wire.right.learnedCount == 1)
      }
    }
    for limits in [.standard, tightLimits] {
      check(ORSet<String>.self, limits: limits)
      check(TextRegisters.self, limits: limits)
      check(Document.self, limits: limits)
      check(ReplicatedText.self, limits: limits)
      check(ListOfTexts.self, limits: limits)
    }
  }

  @Test("empty values, one side empty, one side ahead") func uneven() {
    for (shared, left, right) in [(0, 0, 0), (0, 5, 0), (0, 0, 5), (9, 3, 0), (9, 0, 0)] {
      var wire = ORSet<String>.wire(shared: shared, left: left, right: right)
      let expected = wire.left.value.merging(wire.right.value)
      wire.sync()
      #expect(wire.discrepancy(from: expected) == nil, "\(shared), \(left), \(right)")
      #expect(wire.left.learnedCount == (right > 0 ? 1 : 0))
      #expect(wire.right.learnedCount == (left > 0 ? 1 : 0))
    }
  }
}
