import CRDTKit
import CRDTStore
import CRDTStoreTesting

extension Benchmark {
  func addStoreOpeningBenchmarks() throws {
    try measure(
      Title("store.open", n: n, against: "decoding from memory", bar: .ratio(2.5), pace: .slow),
      units: n
    ) { try openSnapshot().workloads }
    if options.wants("store.open.byte") {
      let (workloads, bytes) = try openSnapshot()
      try measure(
        Title(
          "store.open.byte", n: n, against: "decoding from memory", bar: .value(5), pace: .slow),
        units: bytes
      ) { workloads }
    }
    try measure(
      Title("store.recover", n: n, against: "copying the bytes", bar: .value(2_000), pace: .slow),
      units: n
    ) { try recover() }
    try count(
      Title(
        "store.amplification", n: n, against: "the commits' bytes", bar: .ratio(3), unit: .bytes)
    ) { try amplification() }
  }

  /// Opening a store whose snapshot has all fields.
  private func openSnapshot() throws -> (
    workloads: (ours: Workload, baseline: Workload), bytes: Int
  ) {
    let records = (0..<n / Record.fieldNames.count).map(Record.init)
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.edit(.relaxed) { edit in for record in records { edit.write(record) } }
    try store.compact()
    let document = store.document
    try store.close()
    let encoded = document.encoded()
    let ours = Workload(
      prepare: { OpenStore?.none },
      run: { $0 = OpenStore(try folder.open()) },
      outcome: { $0?.store.document == document ? 1 : 0 })
    let baseline = Workload(
      prepare: { Document?.none },
      run: { $0 = try Document(decoding: encoded) },
      outcome: { $0 == document ? 1 : 0 })
    return ((ours, baseline), try folder.bytes(in: "snapshots"))
  }

  /// Opening a store whose log has one commit a field and no snapshot.
  private func recover() throws -> (ours: Workload, baseline: Workload) {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<n { try store.edit(.relaxed) { $0.writeField(number) } }
    let document = store.document
    try store.close()
    let ours = Workload(
      prepare: { OpenStore?.none },
      run: { $0 = OpenStore(try folder.open()) },
      outcome: { $0?.store.document == document ? 1 : 0 })
    let bytes = [UInt8](repeating: 7, count: try folder.bytes(in: "segments"))
    return (ours, Baseline.copy(of: bytes, repetitions: 1))
  }

  /// What is written for each of `n` overwrites of random fields among a tenth as
  /// many, with compaction on.
  private func amplification() throws -> (ours: Double, baseline: Double) {
    let folder = try StoreFolder()
    let store = try folder.open(compaction: .automatic)
    let records = max(n / 100, 1)
    var generator = SeededGenerator(seed: 1)
    for number in 0..<n {
      let record = "r\(Int.random(in: 0..<records, using: &generator))"
      let field = Record.fieldNames[Int.random(in: 0..<10, using: &generator)]
      try store.edit(.relaxed) {
        $0.set(
          [field], of: record, in: Record.collection,
          to: .string(Elements.padded(number, 8)))
      }
    }
    try store.flush()
    let statistics = store.statistics
    try store.close()
    return (
      Double(statistics.batchBytesWritten + statistics.otherBytesWritten) / Double(n),
      Double(statistics.batchBytesWritten) / Double(n)
    )
  }
}
