import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTSimulator

/// A lattice with its irreducible parts.
private protocol Decomposed: Lattice {
  var parts: [Self] { get }
}

extension NumberSet: Decomposed {
  var parts: [NumberSet] { numbers.map { NumberSet(CollectionOfOne($0)) } }
}

extension GreatestMap: Decomposed {
  var parts: [Self] {
    reading.sorted { $0.key < $1.key }.map { Self(keys: [Int($0.key)], time: $0.value) }
  }
}

@Suite("The lattices of the experiments")
struct LatticeTests {
  @Test("join, decompose and tell what is new as the algebra says")
  func laws() {
    for seed in UInt64(0)..<60 {
      check(NumberSet.self, seed) { .insert(Int.random(in: 0..<150, using: &$0)) }
      check(CountVector.self, seed) { _ in .increment }
      check(StampMap.self, seed) { random in
        let keys = Set((0..<4).map { _ in Int.random(in: 0..<12, using: &random) })
        return .stamp(keys: keys.sorted(), time: UInt64.random(in: 1...9, using: &random))
      }
    }
  }

  /// The laws hold for three related states.
  private func check<Content: Decomposed>(
    _: Content.Type, _ seed: UInt64,
    update: (inout SeededGenerator) -> ExperimentUpdate
  ) {
    var random = SeededGenerator(seed: seed)
    var states = Array(repeating: Content(), count: 3)
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      let node = Int.random(in: 0..<3, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        states[node].join(states[Int.random(in: 0..<3, using: &random)])
        continue
      }
      let change = update(&random)
      let delta = states[node].delta(of: change, by: node)
      #expect(delta == delta.inflation(over: states[node]), "seed \(seed): \(change)")
      states[node].join(delta)
    }
    for state in states { checkParts(of: state, seed) }
    for one in states {
      for other in states { checkPair(one, other, seed) }
    }
    let (left, right) = (
      join(join(states[0], states[1]), states[2]), join(states[0], join(states[1], states[2]))
    )
    #expect(left == right, "seed \(seed): \(states)")
  }

  private func checkPair<Content: Decomposed>(_ one: Content, _ other: Content, _ seed: UInt64) {
    #expect(join(one, other) == join(other, one), "seed \(seed): \(one), \(other)")
    #expect(join(one, one) == one, "seed \(seed): \(one)")
    let news = one.inflation(over: other)
    #expect(join(news, other) == join(one, other), "seed \(seed): \(one), \(other)")
    let wanted = one.parts.filter { join($0, other) != other }
    #expect(news.parts == wanted, "seed \(seed): \(one), \(other)")
    var taken = other
    #expect(taken.absorb(one) == news, "seed \(seed): \(one), \(other)")
    #expect(taken == join(one, other), "seed \(seed): \(one), \(other)")
  }

  private func checkParts<Content: Decomposed>(of state: Content, _ seed: UInt64) {
    #expect(state.parts.reduce(Content(), join) == state, "seed \(seed): \(state)")
    #expect(state.parts.count == state.elementCount, "seed \(seed): \(state)")
    #expect(state.parts.allSatisfy { $0.elementCount == 1 }, "seed \(seed): \(state)")
    #expect(state.isBottom == (state == Content()), "seed \(seed): \(state)")
    #expect(state.reading.count == state.elementCount, "seed \(seed): \(state)")
  }

  private func join<Content: Decomposed>(_ one: Content, _ other: Content) -> Content {
    var joined = one
    joined.join(other)
    return joined
  }
}
