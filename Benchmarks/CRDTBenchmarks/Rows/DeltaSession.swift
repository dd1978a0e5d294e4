import CRDTKit

/// A set that takes in one delta after another, each of a hundred inserts by
/// another replica.
final class DeltaSession {
  static let size = 100
  /// More than any run takes.
  static let stepMax = 64

  private var set: ORSet<Int>
  private let deltas: [ORSet<Int>.Delta]
  private let asked: [Int]
  private let asks: Bool
  private var step = 0
  private var found = 0

  private init(_ n: Int, asks: Bool) throws {
    let numbers = Elements.shuffled(n + Self.stepMax * Self.size)
    set = try ORSet<Int>.indexed(of: numbers[..<n])
    var peer = try ORSet<Int>(decoding: set.encoded())
    let batches = Self.batches(numbers[n...])
    // Through bytes, as they come from a peer: sharing nothing with it.
    deltas = try batches.map { batch in
      let delta = peer.edit(by: .right) { editor in
        for number in batch { editor.insert(number) }
      }
      return try ORSet<Int>.Delta(decoding: delta.encoded())
    }
    asked = batches.map { $0[0] }
    self.asks = asks
  }

  /// One step a sample.
  static func workload(_ n: Int, asks: Bool) throws -> Workload {
    let session = try DeltaSession(n, asks: asks)
    return Workload(prepare: { session }, run: { try $0.takeInNext() })
  }

  static func batches(_ numbers: ArraySlice<Int>) -> [[Int]] {
    stride(from: numbers.startIndex, to: numbers.endIndex, by: size).map {
      Array(numbers[$0..<$0 + size])
    }
  }

  private func takeInNext() throws {
    guard try set.apply(deltas[step]) else {
      throw UnequalOutcome(name: "a delta of \(Self.size)", ours: 0, baseline: Self.size)
    }
    if asks, set.contains(asked[step]) { found += 1 }
    step += 1
  }
}
