import CRDTKit
import CRDTStoreTesting

/// A map of n keys each of which one replica has written ten times; another
/// replica has then overwritten half of them once more.
struct Overwriting {
  /// In which order the ten writes of each key came.
  enum Order {
    /// All in one random order: the last writes of the keys lie far apart.
    case anyhow
    /// In rounds, each of which writes every key once: the last ones lie
    /// together.
    case rounds
  }

  static let writeCount = 10

  let n: Int
  let order: Order

  func fork() throws -> Fork<RegisterMap> {
    var map = RegisterMap()
    for number in writes { map.update(Elements.string17(number), by: .author) { $0.set(number) } }
    return try Fork(
      Shape(rightAdded: overwritten), from: map,
      insert: { map, number, replica in
        map.update(Elements.string17(number), by: replica) { $0.set(number + n) }
      }
    )
  }

  private var writes: [Int] {
    var generator = SeededGenerator(seed: 4)
    let rounds = (0..<Self.writeCount).map { _ in (0..<n).shuffled(using: &generator) }
    switch order {
    case .rounds: return Array(rounds.joined())
    case .anyhow: return rounds.joined().shuffled(using: &generator)
    }
  }

  /// Half of the keys, taken at random.
  private var overwritten: [Int] {
    Array(Elements.shuffled(n).prefix(n / 2))
  }

  func dictionaryMerge() -> Workload {
    let left = Dictionary(uniqueKeysWithValues: (0..<n).map { (Elements.string17($0), $0) })
    var right = Dictionary(uniqueKeysWithValues: (0..<n).map { (Elements.string17($0), $0) })
    for number in overwritten { right[Elements.string17(number)] = number + n }
    return Baseline.merge(left, right) { $0.values.reduce(0, &+) }
  }
}
