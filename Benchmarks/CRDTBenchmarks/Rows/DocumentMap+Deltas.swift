import CRDTKit

extension Benchmark {
  func addDocumentMapDeltaBenchmarks() throws {
    try measure(
      Title(
        "document.map.delta100.encode", n: mapCount, against: "copying the bytes", scope: .all),
      units: 1
    ) { try encodeDelta() }
    for asks in [false, true] {
      try measure(
        Title(
          "document.map.delta100.apply\(asks ? "+lookup" : "")", n: mapCount,
          against: "Dictionary.updateValue", scope: .all, pace: .steps
        ), units: 1
      ) { try applyDeltas(asks: asks) }
    }
  }

  /// From a version to bytes, the same each time.
  private func encodeDelta() throws -> (ours: Workload, baseline: Workload) {
    let job = MapJob(mapCount)
    let bytes = job.document().encoded()
    var document = try job.indexed(decoding: bytes)
    let version = document.version
    let batch = MapDeltas.batches(job)[0]
    let expected = MapDeltas.write(batch, step: 0, to: &document).encoded()
    let changed = document
    let repetitions = 100
    let ours = Workload(
      repetitions: repetitions,
      prepare: { [[UInt8]](repeating: [], count: repetitions) },
      run: { deltas in
        for place in deltas.indices {
          deltas[place] = changed.delta(since: version).encoded()
        }
      },
      outcome: { deltas in
        var document = try Document(decoding: bytes)
        try document.apply(decoding: deltas[0])
        return document == changed ? 1 : 0
      }
    )
    return (ours, Baseline.copy(of: expected, repetitions: repetitions))
  }

  private func applyDeltas(asks: Bool) throws -> (ours: Workload, baseline: Workload) {
    let job = MapJob(mapCount)
    let (deltas, upserts) = (try MapDeltas(job, asks: asks), MapUpserts(job, asks: asks))
    return (
      Workload(prepare: { deltas }, run: { try $0.takeInNext() }),
      Workload(prepare: { upserts }, run: { $0.takeInNext() })
    )
  }
}
