import CRDTKit

extension Benchmark {
  /// How many records there are: they have ten fields each.
  private var recordCount: Int { n / Record.fieldNames.count }

  func addDocumentBenchmarks() throws {
    try measure(
      Title("document.write", n: n, against: "nested dictionaries", bar: .ratio(3)), units: n
    ) { write() }
    try addDocumentMemory("document.memory", bar: .difference(120)) { records in
      let document = Document(records, by: .author)
      blackHole(document.contains(records[0].id, in: Record.collection))
      return document
    }
    try addDocumentMemory("document.memory.decoded", bar: nil) { records in
      let document = try Document(decoding: Document(records, by: .author).encoded())
      blackHole(document.contains(records[0].id, in: Record.collection))
      return document
    }
    try addDocumentMemory("document.memory.dictionaries", bar: nil) { records in
      records.reduce(into: [:]) { $0[$1.id] = $1.fields }
    }
  }

  private func write() -> (ours: Workload, baseline: Workload) {
    let records = (0..<recordCount).map(Record.init)
    let ours = Workload(
      prepare: { (document: Document(), delta: TableDelta<Document>?.none) },
      run: { state in
        state.delta = state.document.edit(at: .of(.author)) { edit in
          for record in records { edit.write(record) }
        }
      },
      outcome: { $0.document.records(in: Record.collection).count }
    )
    let baseline = Workload(
      prepare: { [String: [String: Document.Value]]() },
      run: { dictionary in
        for record in records { dictionary[record.id] = record.fields }
      },
      outcome: { $0.count }
    )
    return (ours, baseline)
  }

  /// What is kept a field, beside what its value alone would take in an array.
  private func addDocumentMemory<Kept>(
    _ name: String, bar: Bar?, _ make: ([Record]) throws -> Kept
  ) throws {
    guard options.wants(name) else { return }
    let records = (0..<recordCount).map(Record.init)
    guard let ours = try Memory.bytes(keptBy: { try make(records) }) else {
      Output.complain("\(CRDTBenchmark.name): \(name) left out: no count of allocations here")
      return
    }
    try count(Title(name, n: n, against: "a value by itself", bar: bar, unit: .bytes)) {
      (Double(ours) / Double(n), Double(MemoryLayout<Document.Value>.stride))
    }
  }
}

extension Document {
  /// A document into which one replica has written records in one edit.
  init(_ records: [Record], by replica: ReplicaID) {
    self.init()
    edit(at: .of(replica)) { edit in
      for record in records { edit.write(record) }
    }
  }
}
