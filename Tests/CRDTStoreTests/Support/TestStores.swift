import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// What stores of a test have in common: a file system in memory, a clock that
/// stands still, replicas that count up.
struct TestStores {
  let files: SimulatedFileSystem
  /// The document of all stores, unless a test is about that.
  static let document = DocumentID(high: 7, low: 7)

  let clock = ManualClock(milliseconds: 1_750_000_000_000)
  private let replicas: Guarded<UInt64>
  private let lines: Guarded<UInt64>

  init(_ files: SimulatedFileSystem = SimulatedFileSystem(), replicasAfter first: UInt64 = 0) {
    self.files = files
    replicas = Guarded(first)
    lines = Guarded(first)
  }

  var options: Store.Options {
    var options = Store.Options()
    options.fileSystem = files
    options.sealing = TestSealing.inUse
    options.clock = clock
    options.compaction = .manual
    options.makeStoreNumber = { 7 }
    options.documentID = Self.document
    options.makeStretchNonce = { 5 }
    options.makeLine = { [lines] in
      lines.withLock {
        $0 += 1
        return $0
      }
    }
    options.makeReplica = { [replicas] in
      ReplicaID(
        replicas.withLock {
          $0 += 1
          return $0
        })
    }
    return options
  }

  func open(
    _ path: String = "/store", schema: Schema? = nil,
    _ change: (inout Store.Options) -> Void = { _ in }
  ) throws(StoreError) -> Store {
    var options = options
    change(&options)
    return try Store.open(at: path, schema: schema, options: options)
  }

  func openForTasks(
    _ path: String = "/store", _ change: (inout Store.Options) -> Void = { _ in }
  ) async throws -> Store {
    var options = options
    change(&options)
    return try await Store.open(at: path, options: options)
  }
}

extension Store {
  /// Commits one field of one record.
  func put(_ value: Document.Value, of record: String = "r", in collection: String = "c") throws {
    try edit { $0.set("value", of: record, in: collection, to: value) }
  }
}

/// Lets two sessions talk until neither has anything to say.
func exchange(_ left: Store.Session, _ right: Store.Session) throws {
  var toRight = try left.connect()
  var toLeft = try right.connect()
  while !toRight.isEmpty || !toLeft.isEmpty {
    let (forRight, forLeft) = (toRight.bytes, toLeft.bytes)
    toRight = forLeft.isEmpty ? [] : try left.receive(forLeft)
    toLeft = forRight.isEmpty ? [] : try right.receive(forRight)
    if toRight.bytes.isEmpty, toLeft.bytes.isEmpty { return }
  }
}

extension [Store.Session.Action] {
  /// All that is to be sent, one after the other.
  var bytes: [UInt8] {
    reduce(into: []) { all, action in
      if case .send(let bytes) = action { all += bytes }
    }
  }
}
