/// Numbers of which the first is the most frequent: the chance of the number at place
/// k, from 1, is in proportion to 1 / k to the power of a coefficient.
struct ZipfDistribution: Sendable {
  /// The chances of a number and all before it.
  private var cumulative: [Double] = []

  /// Creates a distribution; the coefficient is given in quarters, so that roots
  /// suffice, which are the same on every machine.
  init(count: Int, quarters: Int) {
    var sum = 0.0
    cumulative.reserveCapacity(count)
    for place in 1...max(count, 1) {
      let root = Double(place).squareRoot().squareRoot()
      sum += 1 / (0..<quarters).reduce(1.0) { power, _ in power * root }
      cumulative.append(sum)
    }
  }

  /// A number from 0 to the count, exclusively.
  func draw(using random: inout SplitMix64) -> Int {
    let wanted = Double(random.next() >> 11) * 0x1p-53 * (cumulative.last ?? 0)
    var (low, high) = (0, cumulative.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] > wanted { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
