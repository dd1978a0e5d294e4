import CRDTKit

extension Benchmark {
  func addORSetDeltaBenchmarks() throws {
    try measure(
      Title(
        "orset.int.delta100", n: n, against: "Dictionary upsert", bar: .ratio(3), pace: .steps),
      units: DeltaSession.size
    ) { (try DeltaSession.workload(n, asks: false), dictionaryUpserts(asks: false)) }
    try measure(
      Title(
        "orset.int.delta100+lookup", n: n, against: "Dictionary upsert, lookup", pace: .steps),
      units: DeltaSession.size
    ) { (try DeltaSession.workload(n, asks: true), dictionaryUpserts(asks: true)) }
    try measure(
      Title(
        "orset.int.delta100.growth", n: n, against: "itself at n = \((n / 100).grouped)",
        bar: .ratio(2), pace: .steps
      ), units: DeltaSession.size
    ) {
      (try DeltaSession.workload(n, asks: false), try DeltaSession.workload(n / 100, asks: false))
    }
    try measure(
      Title(
        "orset.int.delta100.compute", n: n, against: "copying 100 of an array", bar: .ratio(50),
        scope: .all
      ), units: 1
    ) { try computeDelta() }
  }

  /// A hundred new entries a step, into one dictionary of n that goes on growing.
  private func dictionaryUpserts(asks: Bool) -> Workload {
    let numbers = Elements.shuffled(n + DeltaSession.stepMax * DeltaSession.size)
    let session = UpsertSession(
      dictionary: Dictionary(uniqueKeysWithValues: numbers[..<n].map { ($0, $0) }),
      batches: DeltaSession.batches(numbers[n...]), asks: asks
    )
    return Workload(prepare: { session }, run: { $0.takeInNext() })
  }

  /// What is asked for is the same each time; nothing is kept from one time to
  /// the next but what the set itself keeps.
  private func computeDelta() throws -> (ours: Workload, baseline: Workload) {
    let numbers = Elements.shuffled(n)
    let repetitions = 100
    var set = try ORSet<Int>.indexed(of: numbers.dropLast(100))
    let version = set.version
    for number in numbers.suffix(100) { set.insert(number, by: .author) }
    let full = set
    let earlier = ORSet(numbers.dropLast(100), by: .author).encoded()
    let ours = Workload(
      repetitions: repetitions,
      prepare: { [ORSet<Int>.Delta?](repeating: nil, count: repetitions) },
      run: { deltas in
        for place in deltas.indices { deltas[place] = full.delta(since: version) }
      },
      outcome: { deltas in
        guard let delta = deltas[0] else { return 0 }
        var set = try ORSet<Int>(decoding: earlier)
        try set.apply(delta)
        return set.count
      }
    )
    let baseline = Workload(
      repetitions: repetitions,
      prepare: { [[Int]](repeating: [], count: repetitions) },
      run: { copies in
        for place in copies.indices { copies[place] = Array(numbers.suffix(100)) }
      },
      outcome: { numbers.count - 100 + $0[0].count }
    )
    return (ours, baseline)
  }
}
