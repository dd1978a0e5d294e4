import CRDTKit

extension Benchmark {
  func addSessionBenchmarks() throws {
    try measure(
      Title("session.full", n: n, against: "copying the bytes", bar: .value(1_000)), units: n
    ) { try fullSync() }
    try count(
      Title(
        "session.equal", n: n, against: "nothing", bar: .value(200), unit: .bytes, scope: .all)
    ) { try equalSession() }
    try measure(
      Title(
        "session.crowded", n: 20_000, against: "200 replicas", scope: .all, pace: .steps),
      units: 1
    ) { (try crowded(by: 20_000), try crowded(by: 200)) }
  }

  /// One small change that goes to a store, where so many replicas have written.
  private func crowded(by replicas: Int) throws -> Workload {
    let session = try CrowdedSession(replicas: replicas)
    return Workload(prepare: { session }, run: { try $0.changeOnce() })
  }

  /// All fields to an empty peer, through a pipe each way.
  private func fullSync() throws -> (ours: Workload, baseline: Workload) {
    let records = (0..<n / Record.fieldNames.count).map(Record.init)
    let document = Document(records, by: .author)
    let ours = Workload(
      prepare: { SessionPair(document, Document(), pipes: (try Pipe(), try Pipe())) },
      run: { try $0.exchange() },
      outcome: { pair in
        guard pair.right == document else { return 0 }
        return pair.right.encoded().count
      }
    )
    return (ours, Baseline.copy(of: document.encoded(), repetitions: 1))
  }

  /// What the side that says more sends where ten replicas have written.
  private func equalSession() throws -> (ours: Double, baseline: Double) {
    var document = Document()
    let share = max(n / Record.fieldNames.count / 10, 1)
    for writer in 0..<10 {
      let records = (writer * share..<(writer + 1) * share).map(Record.init)
      document.merge(Document(records, by: ReplicaID(UInt64(100 + writer))))
    }
    var pair = SessionPair(document, try Document(decoding: document.encoded()))
    try pair.exchange()
    return (Double(max(pair.bytes.left, pair.bytes.right)), 0)
  }
}
