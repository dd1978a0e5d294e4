import CRDTKit

extension Benchmark {
  /// What four times as much of something made up costs: 4 times as much where it is linear,
  /// 16 times where it is quadratic.
  func addHostileGrowthBenchmarks() throws {
    try grow("deletions", from: 2_000, MadeUp.deletions) {
      blackHole($0.value(of: "f", of: "r", in: "c"))
    }
    for (name, make) in [("removals", MadeUp.removals), ("traces", MadeUp.traces)] {
      try grow(name, from: 1_000, make) { blackHole($0.value(of: "n", of: "r", in: "c")) }
    }
    try grow("objects", from: 1_000, MadeUp.objects) {
      blackHole($0.conflicts)
      blackHole($0.alternatives(of: "m", of: "r", in: "c"))
      blackHole($0.explain("m", of: "r", in: "c"))
    }
    try grow("conflicts", from: 1_000, MadeUp.conflicts) { blackHole($0.conflicts) }
    for (name, stretch) in [("greeting", nil), ("stretches", 0)] as [(String, UInt32?)] {
      try measure(title(name, from: 2_000), units: 1) {
        (greeting(8_000, stretch: stretch), greeting(2_000, stretch: stretch))
      }
    }
  }

  private func title(_ name: String, from count: Int) -> Title {
    Title(
      "hostile.growth.\(name)", n: 4 * count, against: "a quarter", bar: .ratio(9), scope: .all,
      pace: .slow)
  }

  private func grow(
    _ name: String, from count: Int, _ make: (Int) -> Document,
    _ read: @escaping (Document) -> Void
  ) throws {
    func reading(_ count: Int) -> Workload {
      let bytes = make(count).encoded()
      return Workload(
        prepare: {
          var document = try Document(decoding: bytes)
          document.schema = MadeUp.schema
          return document
        },
        run: { read($0) })
    }
    try measure(title(name, from: count), units: 1) { (reading(4 * count), reading(count)) }
  }

  /// A greeting that tells of other events, or stretches, under many names.
  private func greeting(_ count: Int, stretch: UInt32?) -> Workload {
    let set = MadeUp.set(count, startingAt: 0, stretch: stretch)
    var other = PeerSession<ORSet<Int>>(replica: .right)
    let greeting = other.connect(
      MadeUp.set(count, startingAt: 1_000_000, stretch: stretch.map { _ in 1 })
    ).flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
    return Workload(
      prepare: {
        var session = PeerSession<ORSet<Int>>(replica: .left)
        blackHole(session.connect(set))
        return (session: session, set: set)
      },
      run: { state in
        let actions = state.session.receive(greeting, into: &state.set)
        blackHole(actions)
      })
  }
}
