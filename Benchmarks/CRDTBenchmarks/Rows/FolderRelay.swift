import CRDTKit
import CRDTStore

extension Benchmark {
  func addFolderRelayBenchmarks() throws {
    try measure(
      Title("relay.folder", n: n, against: "the same in memory", bar: .ratio(2), pace: .slow),
      units: n
    ) { try folderRelay() }
    try measure(
      Title(
        "relay.folder.taking", n: n, against: "copying and merging", bar: .ratio(2), pace: .slow),
      units: n
    ) { try folderRelay(isPublished: true) }
  }

  /// All fields from one store to an empty one, by way of a folder; what comes is
  /// durable in the end, and so is the file in the folder.
  ///
  /// In memory: the delta is encoded, copied, and taken in by an empty document. With
  /// a file that is already there, its bytes are too.
  private func folderRelay(
    isPublished: Bool = false
  ) throws -> (ours: Workload, baseline: Workload) {
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
        let target = Store.SyncTarget.folder(folder.path + "/relay")
        if isPublished { try store.sync(with: target) }
        return (folder: folder, store: try folder.open(), target: target)
      },
      run: { state in
        if !isPublished { try store.sync(with: state.target) }
        try state.store.sync(with: state.target)
      },
      outcome: { $0.store.document == document ? 1 : 0 })
    let baseline = Workload(
      countsWaits: true,
      prepare: { (copy: [UInt8](), document: Document()) },
      run: { state in
        let bytes = isPublished ? bytes : document.delta(since: [:]).encoded()
        state.copy = bytes.withUnsafeBytes { [UInt8]($0) }
        try state.document.apply(TableDelta<Document>(decoding: state.copy))
      },
      outcome: { $0.document == document ? 1 : 0 })
    return (ours, baseline)
  }
}
