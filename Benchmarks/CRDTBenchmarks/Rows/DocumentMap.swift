import CRDTKit

extension Benchmark {
  /// How many keys the map has: a tenth of n, as many as its bars are stated for.
  var mapCount: Int { n / 10 }

  func addDocumentMapBenchmarks() throws {
    try measure(
      Title("document.map.build", n: mapCount, against: "Dictionary.updateValue"), units: mapCount
    ) { build() }
    try addMapEncode("document.map.encode") { $0.document() }
    try addMapEncode("document.map.encode.loaded") { job in
      try Document(decoding: job.document().encoded())
    }
    try addMapLoad("document.map.load") { _ in 0 }
    try addMapLoad("document.map.load+size") { $0.mapSize }
    let known = MapJob(mapCount).known
    try addMapLoad("document.map.load+lookup") { $0.text(of: known) == nil ? 0 : 1 }
    try measure(
      Title("document.map.known", n: mapCount, against: "copying the bytes", scope: .all),
      units: 1
    ) { try takeInKnown() }
  }

  private func build() -> (ours: Workload, baseline: Workload) {
    let job = MapJob(mapCount)
    let ours = Workload(
      prepare: { Document() },
      run: { job.write(to: &$0, by: .author) },
      outcome: { $0.mapSize }
    )
    let baseline = Workload(
      prepare: { [String: String]() },
      run: { job.write(to: &$0) },
      outcome: { $0.count }
    )
    return (ours, baseline)
  }

  private func addMapEncode(
    _ name: String, _ make: @escaping (MapJob) throws -> Document
  ) throws {
    try measure(
      Title(name, n: mapCount, against: "copying the bytes"), units: mapCount
    ) {
      let document = try make(MapJob(mapCount))
      let bytes = document.encoded()
      let ours = Workload(
        prepare: { [UInt8]() },
        run: { $0 = document.encoded() },
        outcome: { $0 == bytes ? 1 : 0 }
      )
      return (ours, Baseline.copy(of: bytes))
    }
  }

  /// All from bytes into an empty document, and what is asked of it then.
  private func addMapLoad(
    _ name: String, _ ask: @escaping (Document) -> Int
  ) throws {
    try measure(
      Title(name, n: mapCount, against: "Dictionary.updateValue"), units: mapCount
    ) {
      let job = MapJob(mapCount)
      let bytes = job.document().encoded()
      let ours = Workload(
        prepare: { (document: Document(), answer: 0) },
        run: {
          try $0.document.merge(decoding: bytes)
          $0.answer = ask($0.document)
        },
        outcome: { $0.document.mapSize }
      )
      let baseline = Workload(
        prepare: { [String: String]() },
        run: { job.write(to: &$0) },
        outcome: { $0.count }
      )
      return (ours, baseline)
    }
  }

  private func takeInKnown() throws -> (ours: Workload, baseline: Workload) {
    let job = MapJob(mapCount)
    let bytes = job.document().encoded()
    let document = try job.indexed(decoding: bytes)
    let repetitions = 100
    let ours = Workload(
      repetitions: repetitions,
      prepare: { (document: document, wasNew: false) },
      run: { state in
        for _ in 0..<repetitions where try state.document.merge(decoding: bytes) {
          state.wasNew = true
        }
      },
      outcome: { $0.wasNew ? 0 : 1 }
    )
    return (ours, Baseline.copy(of: bytes))
  }
}
