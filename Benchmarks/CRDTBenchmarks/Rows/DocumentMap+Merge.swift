import CRDTKit

extension Benchmark {
  func addDocumentMapMergeBenchmarks() throws {
    let job = MapJob(mapCount)
    try addMapMerge("disjoint", job, MapJob(after: job))
    try addMapMerge("same", job, MapJob(overwriting: job, round: 1))
  }

  private func addMapMerge(_ name: String, _ left: MapJob, _ right: MapJob) throws {
    for asks in [false, true] {
      try measure(
        Title(
          "document.map.merge.\(name)\(asks ? "+lookup" : "")", n: mapCount,
          against: "Dictionary.updateValue"
        ), units: mapCount
      ) { try merge(left, right, asks: asks) }
    }
  }

  /// Both sides were written from nothing by replicas that knew nothing of one
  /// another; the right one comes as bytes, into a left one that is in use.
  private func merge(
    _ left: MapJob, _ right: MapJob, asks: Bool
  ) throws -> (ours: Workload, baseline: Workload) {
    let bytes = left.document(by: .left).encoded()
    let more = right.document(by: .right).encoded()
    let ours = Workload(
      prepare: { (document: try left.indexed(decoding: bytes), answer: Document.Value?.none) },
      run: {
        try $0.document.merge(decoding: more)
        if asks { $0.answer = $0.document.text(of: right.known) }
      },
      outcome: { $0.document.mapSize }
    )
    let baseline = Workload(
      prepare: { (dictionary: left.dictionary(), answer: String?.none) },
      run: {
        right.write(to: &$0.dictionary)
        if asks { $0.answer = $0.dictionary[right.known] }
      },
      outcome: { $0.dictionary.count }
    )
    return (ours, baseline)
  }
}
