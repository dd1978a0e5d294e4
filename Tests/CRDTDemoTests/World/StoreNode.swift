import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Synchronization

@testable import crdt_demo

/// A replica of a world that keeps its document in a real store, on a disk in memory
/// that loses what was not synchronised when the replica crashes.
struct StoreNode: ReplicaNode {
  typealias Value = Document
  typealias Message = [UInt8]
  typealias Context = WorldContext<Message>

  /// Shows the time that the node was last called at.
  private final class NodeClock: WallClock {
    private let time = Atomic<UInt64>(WorldClock.beginning)

    var milliseconds: UInt64 { time.load(ordering: .relaxed) }

    func set(_ milliseconds: UInt64) { time.store(milliseconds, ordering: .relaxed) }
  }

  let replica: ReplicaID
  private(set) var value = Document()
  let restores = 0
  private(set) var tally = DeltaTally()
  var log: [RecordedEdit] = []
  var failures: [String] = []

  private var files = SimulatedFileSystem()
  private var store: BlockingStore?
  private var sessions: [BlockingStoreSession?]
  private var silences: [Int]
  private let clock = NodeClock()
  private let settings: NodeSettings

  init(place: Int, neighbours: Int, settings: NodeSettings) {
    self.settings = settings
    replica = ReplicaID(UInt64(place) + 1)
    sessions = Array(repeating: nil, count: neighbours)
    silences = Array(repeating: 0, count: neighbours)
    open()
  }

  private mutating func open() {
    var options = StoreOptions()
    options.fileSystem = files
    options.clock = clock
    options.compaction = .manual
    options.makeStoreNumber = { 7 }
    options.makeReplica = { [replica] in replica }
    do {
      let store = try BlockingStore.open(at: "/store", options: options)
      if store.recovery.isCopy || store.replica != replica { failures.append("taken for a copy") }
      self.store = store
      value = store.document
      for neighbour in sessions.indices {
        sessions[neighbour] = store.session(limits: settings.limits)
      }
    } catch {
      failures.append("the store doesn't open: \(error)")
    }
  }

  mutating func edit(_ number: UInt64, _ context: inout Context) {
    clock.set(context.wallMilliseconds)
    if let edit = commit(number) { log.append(edit) }
  }

  /// Makes a change, durably.
  private mutating func commit(_ number: UInt64) -> RecordedEdit? {
    guard let store else { return nil }
    let observed = value.version
    let key = Int(number % UInt64(settings.keys))
    let payload = Int64((number & ~(1 << 63)) >> 8)
    do {
      try store.edit(.full) { edit in
        edit.set(
          Document.field(of: key), of: Document.note(of: key), in: Document.fields,
          to: .int(payload))
      }
    } catch {
      failures.append("a commit has failed: \(error)")
    }
    value = store.document
    guard let stamp = value.delta(since: observed).latestTimestamp,
      value.version[replica] > observed[replica]
    else { return nil }
    return RecordedEdit(
      replica: replica, counter: value.version[replica], observed: observed,
      change: OracleChange(key: key, kind: .write, payload: payload), stamp: stamp)
  }

  mutating func tick(_ context: inout Context) {
    clock.set(context.wallMilliseconds)
    for neighbour in sessions.indices {
      guard let session = sessions[neighbour] else { continue }
      perform(neighbour, &context) { () throws(StoreError) in try session.flush() }
      silences[neighbour] += 1
      guard silences[neighbour] > settings.patience else { continue }
      silences[neighbour] = 0
      guard !session.isSynchronized else { continue }
      session.disconnect()
      context.hangUp(neighbour)
    }
  }

  mutating func receive(_ message: [UInt8], from neighbour: Int, _ context: inout Context) {
    silences[neighbour] = 0
    clock.set(context.wallMilliseconds)
    guard let session = sessions[neighbour] else { return }
    perform(neighbour, &context) { () throws(StoreError) in try session.receive(message) }
  }

  mutating func connect(to neighbour: Int, _ context: inout Context) {
    silences[neighbour] = 0
    guard let session = sessions[neighbour] else { return }
    perform(neighbour, &context) { () throws(StoreError) in try session.connect() }
  }

  mutating func disconnect(from neighbour: Int) { sessions[neighbour]?.disconnect() }

  private mutating func perform(
    _ neighbour: Int, _ context: inout Context,
    _ body: () throws(StoreError) -> [BlockingStoreSession.Action]
  ) {
    guard let store else { return }
    let before = store.statistics.commits
    do {
      for action in try body() {
        switch action {
        case .send(let bytes): context.send(bytes, to: neighbour)
        case .close(let failure):
          if !failure.isDamage { failures.append("a session has failed: \(failure)") }
          context.hangUp(neighbour)
        }
      }
    } catch {
      failures.append("\(error)")
    }
    context.learned += Int(store.statistics.commits - before)
    tally.applied += context.learned
    value = store.document
  }

  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    var call = files.callCount
    var pending: RecordedEdit?
    if kind == .torn {
      pending = commit(draw)
      call += Int(draw % UInt64(files.callCount - call + 1))
    }
    let images = files.history.images(atCall: call, choices: .few, seed: draw)
    files.killProcess()
    store = nil
    files = SimulatedFileSystem(images[Int((draw >> 20) % UInt64(images.count))].image)
    open()
    // An edit that was under way may be there or not.
    if let pending, value.version[replica] >= pending.counter { log.append(pending) }
  }
}
