import CRDTKit
import CRDTStore

extension Benchmark {
  func addFolderRelayBenchmarks() throws {
    try measure(
      Title("relay.folder", n: n, against: "copying and merging", bar: .ratio(2), pace: .slow),
      units: n
    ) { try folderRelay() }
  }

  /// All fields from one store to an empty one, by way of a folder; what comes is
  /// durable in the end, and so is the file in the folder.
  private func folderRelay() throws -> (ours: Workload, baseline: Workload) {
    let records = (0..<n / Record.fieldNames.count).map(Record.init)
    let source = try StoreFolder()
    let store = try source.open()
    try store.edit(.relaxed) { edit in for record in records { edit.write(record) } }
    try store.flush()
    let document = store.document
    let bytes = document.delta(since: [:]).encoded()
    let ours = Workload(
      countsWaits: true,
      prepare: {
        let folder = try StoreFolder()
        return (folder, try folder.open())
      },
      run: { state in
        let target = SyncTarget.folder(state.0.path + "/relay")
        try store.sync(with: target)
        try state.1.sync(with: target)
      },
      outcome: { $0.1.document == document ? 1 : 0 })
    let baseline = Workload(
      countsWaits: true,
      prepare: { (copy: [UInt8](), document: Document()) },
      run: { state in
        state.copy = bytes.withUnsafeBytes { [UInt8]($0) }
        try state.document.apply(decoding: state.copy)
      },
      outcome: { $0.document == document ? 1 : 0 })
    return (ours, baseline)
  }
}
