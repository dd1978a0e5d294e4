import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Random programs of transactions")
struct TransactionProgramTests {
  private struct Stop: Error {}

  /// Runs verbs in a transaction, and looks at all that it reads after each.
  private func run(
    _ verbs: [CardVerb], _ tx: inout Store.Transaction, _ model: inout CardModel
  ) throws -> String? {
    for (place, verb) in verbs.enumerated() {
      let (could, should) = (try verb.perform(in: &tx), verb.perform(on: &model))
      if could != should { return "\(verb) (\(place)): \(could ? "was done" : "was refused")" }
      let cards = try tx.all(Card.self)
      if cards != model.cards { return "after \(verb) (\(place)): \(cards), not \(model.cards)" }
      for id in ["a", "b", "c", "d"] where try tx.get(Card.self, id) != model.card(id) {
        return "after \(verb) (\(place)): \(id) is not got as it is listed"
      }
    }
    return nil
  }

  @Test("Every transaction reads and leaves what a dictionary has, or nothing where it throws")
  func programs() async throws {
    for seed in 0..<UInt64(isLongRun ? 2_000 : 30) {
      var random = SeededGenerator(seed: seed)
      let stores = TestStores()
      var store = try await stores.openCards()
      var observed = store.observe(Card.self).makeAsyncIterator()
      #expect(await observed.next()?.isEmpty == true)
      var model = CardModel()
      var history: [[CardVerb]] = []
      for step in 0..<12 {
        let verbs = (0..<Int.random(in: 1...6, using: &random)).map { _ in
          CardVerb.random(&random)
        }
        history.append(verbs)
        let isStopped = Int.random(in: 0..<4, using: &random) == 0
        let document = store.document
        var (next, wrong): (CardModel, String?) = (model, nil)
        do {
          let durability: Store.Durability = Bool.random(using: &random) ? .full : .relaxed
          try await store.write(durability) { tx in
            wrong = try run(verbs, &tx, &next)
            if isStopped { throw Stop() }
          }
          model = next
        } catch is Stop {
          #expect(store.document == document)
        }
        wrong = wrong ?? model.discrepancy(store)
        if let wrong {
          Issue.record("seed \(seed), step \(step): \(wrong)\n\(history)")
          return
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
          try await store.close()
          store = try await stores.openCards()
          observed = store.observe(Card.self).makeAsyncIterator()
          #expect(try #require(await observed.next()).elementsEqual(model.cards))
        }
      }
      // An observer that was asked nothing meanwhile has it all at once.
      try await store.write { try $0.create(Card(id: "last")) }
      let last = try #require(await observed.next())
      #expect(last.elementsEqual(store.all(Card.self)), "seed \(seed)")
      try await store.close()
    }
  }

  @Test("What is undone at once is as it was")
  func undoing() async throws {
    for seed in 0..<UInt64(isLongRun ? 2_000 : 30) {
      var random = SeededGenerator(seed: seed)
      let store = try await TestStores().openCards()
      var history: [CardVerb] = []
      for _ in 0..<8 {
        let before = Array(store.all(Card.self))
        var verbs: [CardVerb] = []
        let receipt = try await store.write { tx in
          var deleted: Set<String> = []
          for _ in 0..<3 {
            let verb = CardVerb.random(&random)
            // What is kept here alone isn't undone, nor does come back what was replaced,
            // and rules that admit only what wins don't admit what was before.
            switch verb {
            case .publish, .createLocally: continue
            case .create(let card) where deleted.contains(card.id): continue
            case .delete(let id):
              deleted.insert(id)
              verbs.append(verb)
              _ = try verb.perform(in: &tx)
            case .update(let id, let change):
              verbs.append(verb)
              _ = try CardVerb.update(id) { card in
                var changed = change(card)
                (changed.best, changed.origin) = (card.best, card.origin)
                return changed
              }.perform(in: &tx)
            default:
              verbs.append(verb)
              _ = try verb.perform(in: &tx)
            }
          }
        }
        history += verbs
        let after = Array(store.all(Card.self))
        let undoing = try await store.undo(receipt)
        #expect(Array(store.all(Card.self)) == before, "seed \(seed): \(verbs) of \(history)")
        let redoing = try await store.undo(undoing)
        #expect(Array(store.all(Card.self)) == after, "seed \(seed): redone \(verbs) of \(history)")
        if Bool.random(using: &random) {
          try await store.undo(redoing)
          #expect(Array(store.all(Card.self)) == before, "seed \(seed): undone again \(history)")
        }
      }
      try await store.close()
    }
  }
}
