import CRDTKit
import CRDTStoreTesting

/// Merges of two counters that many replicas have changed.
///
/// On each side the counts of about half of the shared replicas are the greater.
/// A sample merges a batch of pairs: one alone is done before the clock ticks
/// often enough.
struct CounterMerges {
  typealias Pair = (ours: Workload, baseline: Workload)

  private static let batchCount = 32

  private let left: [Tally]
  private let right: [Tally]
  private let isSame: Bool

  init(size: Int, sharedCount: Int) {
    var generator = SeededGenerator(seed: 7)
    let replicas = (0..<2 * size - sharedCount).map { _ in generator.next() }
    func tallies(_ replicas: ArraySlice<UInt64>) -> [Tally] {
      replicas.sorted().map { replica in
        Tally(
          replica: replica, up: UInt64.random(in: 1...1_000, using: &generator),
          down: UInt64.random(in: 1...1_000, using: &generator)
        )
      }
    }
    left = tallies(replicas[..<size])
    right = tallies(replicas[(size - sharedCount)...])
    isSame = sharedCount == size
  }

  func pncounters() throws -> Pair {
    let counters = try (left: PNCounter(left).encoded(), right: PNCounter(right).encoded())
    return (
      batch(counters, value: \PNCounter.value),
      baseline(Tally.maximize) { Int($0.up) - Int($0.down) }
    )
  }

  func gcounters() throws -> Pair {
    let counters = try (left: GCounter(left).encoded(), right: GCounter(right).encoded())
    return (batch(counters, value: \GCounter.value), baseline(Tally.maximizeUps) { Int($0.up) })
  }

  private func batch<Counter: Mergeable & BinaryCodable>(
    _ bytes: (left: [UInt8], right: [UInt8]), value: @escaping (Counter) -> Int
  ) -> Workload {
    Workload(
      repetitions: Self.batchCount,
      prepare: {
        let lefts = try (0..<Self.batchCount).map { _ in try Counter(decoding: bytes.left) }
        return (lefts: lefts, right: try Counter(decoding: bytes.right))
      },
      run: { state in
        for place in state.lefts.indices { state.lefts[place].merge(state.right) }
      },
      outcome: { $0.lefts.reduce(0) { $0 + value($1) } }
    )
  }

  private func baseline(
    _ maximize: @escaping (inout [Tally], [Tally]) -> Void, value: @escaping (Tally) -> Int
  ) -> Workload {
    let (left, right, isSame) = (left, right, isSame)
    return Workload(
      repetitions: Self.batchCount,
      prepare: {
        // Mapped, so that each has storage of its own.
        (lefts: (0..<Self.batchCount).map { _ in left.map { $0 } }, right: right)
      },
      run: { state in
        for place in state.lefts.indices {
          if isSame {
            maximize(&state.lefts[place], state.right)
          } else {
            state.lefts[place] = Tally.merge(state.lefts[place], state.right)
          }
        }
      },
      outcome: { $0.lefts.reduce(0) { $1.reduce($0) { $0 + value($1) } } }
    )
  }
}

extension PNCounter {
  fileprivate init(_ tallies: [Tally]) throws {
    self.init()
    for tally in tallies {
      try increment(tally.up, by: ReplicaID(tally.replica))
      try decrement(tally.down, by: ReplicaID(tally.replica))
    }
  }
}

extension GCounter {
  fileprivate init(_ tallies: [Tally]) throws {
    self.init()
    for tally in tallies { try increment(tally.up, by: ReplicaID(tally.replica)) }
  }
}
