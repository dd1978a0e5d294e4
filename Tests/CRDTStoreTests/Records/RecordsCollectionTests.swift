import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("The collection of records")
struct RecordsCollectionTests {
  private func name(_ random: inout SeededGenerator, _ size: Int) -> String {
    let name = "\(Int.random(in: 0..<size, using: &random))"
    // Two spellings of one name.
    return name + ["", "\u{E9}", "e\u{301}"][Int(random.next() % 3)]
  }

  @Test("It is a sorted array after any insertions and removals, and copies are values")
  func againstArray() {
    for (seed, size) in [(1, 3), (2, 40), (3, 300), (4, 2_000)] as [(UInt64, Int)] {
      var random = SeededGenerator(seed: seed)
      var records = Store.Records<Card>()
      var model: [String: Card] = [:]
      var (copy, copied) = (records, [Card]())
      for step in 0..<6_000 {
        let name = name(&random, size)
        // It grows, then shrinks to nothing, again and again.
        if Int.random(in: 0..<10, using: &random) < (step / 1_500 % 2 == 0 ? 8 : 1) {
          let card = Card(id: model[name]?.id ?? name, likes: step)
          let isNews = records.set(card, for: name)
          #expect(isNews)
          model[card.id] = card
        } else {
          let isNews = records.set(nil, for: name)
          #expect(isNews == (model[name] != nil))
          model[name] = nil
        }
        #expect(records[id: name] == model[name], "seed \(seed), step \(step)")
        guard step % 250 == 0 || step == 5_999 else { continue }
        let sorted = model.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        #expect(records.count == sorted.count)
        #expect(records.elementsEqual(sorted), "seed \(seed), step \(step)")
        #expect(records.indices.map { records[$0] } == sorted)
        #expect(copy.elementsEqual(copied))
        (copy, copied) = (records, sorted)
      }
      let all = Array(records)
      #expect(Store.Records(names: all.map(\.id), models: all) == records)
      for card in all { records.set(nil, for: card.id) }
      #expect(records.isEmpty)
      #expect(records == Store.Records())
    }
  }
}
