import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// The options of stores that come to the same bytes each time.
struct FuzzedWorld {
  var fileSystem: any FileSystem
  var sealing: TestSealing?
  var storeNumber: UInt64 = 7
  var document = DocumentID(high: 7, low: 7)

  func options(replica: UInt64) -> Store.Options {
    var options = Store.Options()
    options.fileSystem = fileSystem
    options.sealing = sealing
    options.clock = ManualClock(milliseconds: 1_750_000_000_000)
    options.compaction = .manual
    options.hasThreads = false
    options.documentID = document
    options.makeStoreNumber = { [storeNumber] in storeNumber }
    let lines = Guarded(replica << 32)
    let next: @Sendable () -> UInt64 = {
      lines.withLock {
        $0 += 1
        return $0
      }
    }
    options.makeStretchNonce = { UInt32(truncatingIfNeeded: next()) }
    options.makeLine = next
    let replicas = Guarded(replica)
    options.makeReplica = {
      replicas.withLock { next in
        defer { next += 1_000 }
        return ReplicaID(next)
      }
    }
    return options
  }
}

extension Document {
  /// The values of all records, which are numbers; those of the wrong kind count as -2.
  var fuzzedValues: [String: Int64] {
    var values: [String: Int64] = [:]
    for collection in collections {
      for record in records(in: collection) {
        guard case .int(let value)? = value(of: "value", of: record, in: collection) else {
          values[record] = -2
          continue
        }
        values[record] = value
      }
    }
    return values
  }
}

extension Store {
  func put(_ values: [(String, Int64)], text: String? = nil) throws(StoreError) {
    try edit { edit in
      for (record, value) in values { edit.set("value", of: record, in: "c", to: .int(value)) }
      if let text { edit.set("text", of: values[0].0, in: "c", to: .string(text)) }
    }
  }
}

extension StoreError {
  /// The file or folder that it is about.
  var fuzzedPath: String? {
    switch self {
    case .notFound(let path), .alreadyExists(let path), .locked(let path), .readOnly(let path),
      .closed(let path), .system(_, let path), .stopped(_, let path), .damaged(let path, _, _),
      .newerFormat(let path, _), .sealed(let path), .notSealed(let path), .wrongKey(let path),
      .sealing(_, let path), .otherDocument(let path, _, _), .severalDocuments(let path, _):
      path
    default: nil
    }
  }
}
