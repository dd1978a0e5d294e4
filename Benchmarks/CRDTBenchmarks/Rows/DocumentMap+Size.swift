import CRDTKit

extension Benchmark {
  func addDocumentMapSizeBenchmarks() throws {
    try addMapBytes("", bar: .value(12)) { $0.document() }
    try addMapBytes(".shuffled", bar: nil, isShuffled: true) { $0.document() }
    try addMapBytes(".overwritten", bar: .value(13)) { job in
      var document = job.document()
      for round in 1...10 {
        MapJob(overwriting: job, round: round).write(to: &document, by: .author, round: round)
      }
      return document
    }
    try addMapBytes(".deleted", bar: .value(1)) { job in
      var document = job.document()
      job.clear(&document, by: .author)
      return document
    }
    try addMapMemory()
  }

  private func addMapBytes(
    _ suffix: String, bar: Bar?, isShuffled: Bool = false, _ make: (MapJob) -> Document
  ) throws {
    try count(
      Title(
        "document.map.bytes\(suffix)", n: mapCount, against: "payload, 10 + 7", bar: bar,
        unit: .bytes
      )
    ) {
      let document = make(MapJob(mapCount, isShuffled: isShuffled))
      return (Double(document.encoded().count) / Double(mapCount), 17)
    }
  }

  private func addMapMemory() throws {
    let name = "document.map.memory"
    guard options.wants(name) else { return }
    let job = MapJob(mapCount)
    let ours = Memory.bytes(keptBy: {
      let document = job.document()
      blackHole(document.text(of: job.known))
      return document
    })
    guard let ours, let baseline = Memory.bytes(keptBy: { job.dictionary() }) else {
      Output.complain("\(CRDTBenchmark.name): \(name) left out: no count of allocations here")
      return
    }
    try count(
      Title(name, n: mapCount, against: "Dictionary", bar: .value(150), unit: .bytes)
    ) { (Double(ours) / Double(mapCount), Double(baseline) / Double(mapCount)) }
  }
}
