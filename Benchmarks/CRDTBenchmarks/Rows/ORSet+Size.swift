import CRDTKit

extension Benchmark {
  func addORSetSizeBenchmarks() throws {
    try addBytes("orset.int.bytes", bar: .difference(1.2), elements: Elements.shuffled)
    try addBytes("orset.int.bytes.wide", bar: nil, elements: Elements.wide)
    try count(
      Title(
        "orset.int.emptied.bytes", n: n, against: "a set never used", bar: .value(64),
        unit: .bytes, scope: .replica
      )
    ) { (Double(try emptied().encoded().count) / 2, Double(ORSet<Int>().encoded().count)) }
    try addMemory("orset.int.memory", bar: .ratio(2.5)) { numbers in
      let set = ORSet(numbers, by: .author)
      blackHole(set.contains(numbers[0]))
      return set
    }
    try addMemory("orset.int.memory.decoded", bar: nil) { numbers in
      try ORSet<Int>.indexed(of: numbers)
    }
  }

  private func addBytes(
    _ name: String, bar: Bar?, elements: (Int) -> [Int]
  ) throws {
    try count(
      Title(name, n: n, against: "the elements' varints", bar: bar, unit: .bytes)
    ) {
      let numbers = elements(n)
      let encoded = ORSet(numbers, by: .author).encoded().count
      let varints = numbers.reduce(0) { $0 + $1.varintSize }
      return (Double(encoded) / Double(n), Double(varints) / Double(n))
    }
  }

  /// One replica has put n elements in; another has taken them out one by one.
  private func emptied() throws -> ORSet<Int> {
    let numbers = Elements.shuffled(n)
    var set = ORSet(numbers, by: .author)
    for number in numbers { set.remove(number, by: .right) }
    return set
  }

  private func addMemory(
    _ name: String, bar: Bar?, _ make: ([Int]) throws -> ORSet<Int>
  ) throws {
    let numbers = Elements.shuffled(n)
    guard options.wants(name) else { return }
    guard let ours = try Memory.bytes(keptBy: { try make(numbers) }),
      let baseline = Memory.bytes(keptBy: { Set(numbers) })
    else {
      Output.complain("\(CRDTBenchmark.name): \(name) left out: no count of allocations here")
      return
    }
    try count(Title(name, n: n, against: "Set", bar: bar, unit: .bytes)) {
      (Double(ours) / Double(n), Double(baseline) / Double(n))
    }
  }
}

extension Int {
  /// How many bytes the number takes alone: zig-zag, seven bits a byte.
  fileprivate var varintSize: Int {
    let bits = UInt64(bitPattern: Int64((self << 1) ^ (self >> 63)))
    return Swift.max(1, (70 - bits.leadingZeroBitCount) / 7)
  }
}
