import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Synchronization

/// Runs operations on a store in a simulated file system, and says beforehand what
/// the store will hold after each.
///
/// Each operation is a numbered step: it is issued, and acknowledged once it must
/// be durable, by these numbers, which are places in ``states``. What a crash
/// leaves must be the last acknowledged state or a later one that was issued.
final class StoreRun {
  static let path = "/s"

  let files: SimulatedFileSystem
  let recorder: CrashRecorder
  let clock = ManualClock()
  /// What the store holds after each step; the first is that there is none.
  private(set) var states = [StoreState()]
  /// Where the store did something else than it should have.
  private(set) var mismatches: [String] = []
  /// The last step that was acknowledged.
  private(set) var acknowledged = 0
  private(set) var store: Store?
  /// Small, so that short workloads go from one segment to the next.
  var segmentBytes = 700

  private var current = StoreState()
  /// The number of the replica that is made next, whoever asks and however often.
  private let nextNumber: NextNumber
  private var schemaVersion: UInt64 = 0
  /// What the peers of the store hold.
  private var feed = Document()
  private var peer = Document()

  /// Begins with a disk without a store, whose numbers begin with the given one.
  init(_ files: SimulatedFileSystem, _ recorder: CrashRecorder, number: UInt64 = 1) {
    self.files = files
    self.recorder = recorder
    nextNumber = NextNumber(number)
  }

  /// Goes on from where another run has come, on a disk that holds what it left.
  init(_ files: SimulatedFileSystem, _ recorder: CrashRecorder, after other: StoreRun) {
    self.files = files
    self.recorder = recorder
    clock.milliseconds = other.clock.milliseconds
    states = [other.current]
    current = other.current
    nextNumber = NextNumber(other.nextReplica.rawValue)
    schemaVersion = other.schemaVersion
    segmentBytes = other.segmentBytes
    (feed, peer) = (other.feed, other.peer)
  }

  /// Opens or creates the store and does operations one after another.
  func run(_ operations: [StoreOperation]) throws {
    try open()
    for operation in operations { try perform(operation) }
  }

  /// The same, but only the last of the operations is to be cut short.
  func run(cutting operations: [StoreOperation]) throws {
    guard let last = operations.last else {
      recorder.start()
      return try open()
    }
    try run(operations.dropLast())
    recorder.start()
    try perform(last)
  }

  func options() -> Store.Options {
    var options = Store.Options()
    options.fileSystem = files
    options.sealing = TestSealing.inUse
    options.adoptsUnsealedFiles = true
    options.clock = clock
    options.compaction = .manual
    options.segmentBytes = segmentBytes
    options.minimumFreeBytes = 0
    options.deletionRetention = .zero
    options.schemaVersion = schemaVersion
    options.migrate = { from, edit in
      edit.set("from", of: "migration", in: "notes", to: .int(Int64(from)))
    }
    let next = nextNumber
    // What is predicted knows of no stretches.
    options.makeStretchNonce = { nil }
    options.documentID = TestStores.document
    options.makeReplica = { ReplicaID(next.value.load(ordering: .relaxed)) }
    return options
  }

  private final class NextNumber: Sendable {
    let value: Atomic<UInt64>

    init(_ value: UInt64) {
      self.value = Atomic(value)
    }
  }
}

extension StoreRun {
  /// Does something that leads to a state, and acknowledges it unless it may be lost.
  func step(
    _ name: String, to predicted: StoreState, through between: [StoreState] = [],
    isDurable: Bool = true, _ body: () throws -> Void
  ) throws {
    for state in between {
      recorder.issue(states.count)
      states.append(state)
    }
    let number = states.count
    states.append(predicted)
    recorder.issue(number)
    do { try body() } catch {
      noteVisible("after a failed \(name)", among: [current, predicted] + between)
      throw error
    }
    noteVisible("after \(name)", among: [predicted])
    current = predicted
    if isDurable { acknowledge(number) }
  }

  private func acknowledge(_ number: Int) {
    acknowledged = number
    recorder.acknowledge(number)
  }

  /// Checks that readers see one of some states, and goes on from it.
  func noteVisible(_ moment: String, among expected: [StoreState]) {
    guard let store else { return }
    var seen = StoreState(document: store.document, replica: store.replica)
    seen.schemaVersion = expected.last?.schemaVersion ?? 0
    if let place = expected.lastIndex(where: { $0.isVisible(as: seen) }) {
      current = expected[place]
    } else {
      mismatches.append("\(moment), step \(states.count - 1): \(seen), not \(expected)")
      current = seen
    }
  }

  /// Notes what is wrong.
  func expect(_ isRight: Bool, _ message: @autoclosure () -> String) {
    if !isRight { mismatches.append("step \(states.count - 1): \(message())") }
  }

  var visible: Document { current.document }
  var state: StoreState { current }

  /// The stamp that the store's clock gives next, which has seen nothing later.
  func stamp(_ logical: UInt16 = 0, by replica: ReplicaID? = nil) -> HybridTimestamp {
    HybridTimestamp(
      milliseconds: clock.milliseconds, logical: logical,
      replica: replica ?? current.replica ?? ReplicaID(0))
  }

  /// Opens the store, or creates it.
  func open(schema: Schema? = nil) throws {
    clock.advance(by: .seconds(1))
    var predicted = current
    let isNew = predicted.replica == nil
    if isNew { predicted.replica = nextReplica }
    if let schema { predicted.document.schema = schema }
    if schemaVersion > predicted.schemaVersion {
      let from = Int64(predicted.schemaVersion)
      predicted.schemaVersion = schemaVersion
      if !predicted.document.version.isEmpty {
        let stamp = HybridTimestamp(
          milliseconds: clock.milliseconds, replica: predicted.replica ?? ReplicaID(0))
        predicted.document.edit(at: stamp) {
          $0.set("from", of: "migration", in: "notes", to: .int(from))
        }
      }
    }
    try step("opening", to: predicted) {
      store = try Store.open(at: Self.path, schema: schema, options: options())
      // On a full disk it opens to be read, and what it was to be given isn't kept.
      try store?.edit { _ in }
    }
    if isNew { noteNewReplica() }
  }

  func close() throws {
    clock.advance(by: .seconds(1))
    try step("closing", to: current) {
      defer { store = nil }
      try store?.close()
    }
  }

  /// Closes what can't go on; that it says why is no news.
  func giveUp() {
    try? store?.close()
    store = nil
  }

  /// Closes and opens, with other rules or a newer version of the app's schema.
  func reopen(schema: Schema? = nil, migrating: Bool = false) throws {
    try close()
    if migrating { schemaVersion += 1 }
    try open(schema: schema)
    guard let recovery = store?.recovery else { return }
    expect(recovery.wasClosed, "it was closed in good order, and opening doesn't say so")
    expect(recovery.bytesSetAside == 0, "bytes set aside after closing")
    expect(!recovery.isCopy, "it takes itself for a copy")
  }

  /// Ends the process without a word, and opens the store from another.
  func killAndOpen() throws {
    files.killProcess()
    try openAgain()
  }

  /// Opens the store after something went wrong: it must hold one of the states
  /// that may be there.
  func openAgain() throws {
    store = nil
    clock.advance(by: .seconds(1))
    let (first, number) = (acknowledged, states.count)
    states.append(current)
    recorder.issue(number)
    store = try Store.open(at: Self.path, options: options())
    noteVisible("after a kill", among: Array(states[first..<number]))
    states[number] = current
    acknowledge(number)
  }

  /// Notes that the store has taken a new replica.
  func noteNewReplica() {
    nextNumber.value.add(1, ordering: .relaxed)
  }

  var nextReplica: ReplicaID { ReplicaID(nextNumber.value.load(ordering: .relaxed)) }
}

extension StoreRun {
  /// Makes an edit elsewhere, and gives its delta.
  func editFeed(_ body: (inout Document.Editor) -> Void) -> TableDelta<Document> {
    feed.edit(at: stamp(by: ReplicaID(500)), body)
  }

  /// Lets a peer write something, and exchanges with it.
  func exchangeWithPeer(_ body: (inout Document.Editor) -> Void) throws {
    peer.edit(at: stamp(by: ReplicaID(600)), body)
    try step("exchange", to: state.merging(peer)) {
      peer = try exchange(with: peer, as: ReplicaID(600))
    }
  }

  /// Brings the store and a peer together; gives what the peer holds then.
  func exchange(with document: Document, as replica: ReplicaID) throws -> Document {
    guard let session = store?.session() else { return document }
    var document = document
    var link = PeerSession<Document>(replica: replica)
    var incoming: [UInt8] = []
    func take(_ actions: [PeerSession<Document>.Action]) {
      for case .send(let bytes) in actions { incoming += bytes }
      for case .close(let failure) in actions { mismatches.append("the peer ended: \(failure)") }
    }
    take(link.connect(document))
    var actions = try session.connect()
    for _ in 0..<100 {
      for action in actions {
        switch action {
        case .send(let bytes): take(link.receive(bytes, into: &document))
        case .close(let failure): mismatches.append("the session ended: \(failure)")
        }
      }
      if incoming.isEmpty { break }
      let bytes = incoming
      incoming = []
      actions = try session.receive(bytes)
    }
    expect(incoming.isEmpty, "the session goes on for ever")
    session.disconnect()
    return document
  }
}

extension StoreState {
  /// Whether readers see it so; the version of the app's schema doesn't show.
  fileprivate func isVisible(as seen: StoreState) -> Bool {
    replica == seen.replica && document == seen.document
      && document.schema == seen.document.schema
  }

  fileprivate func merging(_ other: Document) -> StoreState {
    var merged = self
    merged.document.merge(other)
    return merged
  }
}
