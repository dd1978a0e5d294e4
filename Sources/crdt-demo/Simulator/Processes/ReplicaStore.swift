import CRDTKit
import CRDTStore
import Synchronization
import Toolkit

/// A store that holds a replica's document, and writes by the replica's clock.
struct ReplicaStore {
  let store: Store
  private let clock: Clock

  /// Shows the time that the replica's own clock was last at.
  private final class Clock: WallClock {
    private let time = Atomic(WorldClock.beginning)

    var milliseconds: UInt64 { time.load(ordering: .relaxed) }

    func set(_ milliseconds: UInt64) {
      time.store(milliseconds, ordering: .relaxed)
    }
  }

  /// Opens the store, or creates it.
  ///
  /// Its segments are so small, and snapshots worth so little, that a short run has
  /// many of both.
  init(_ path: String, replica: ReplicaID) throws(CommandFailure) {
    let clock = Clock()
    self.clock = clock
    var options = Store.Options()
    options.segmentBytes = 1 << 12
    options.compactionBytesMin = 1 << 12
    options.peerHistoryBytesMax = 1 << 13
    options.clock = clock
    options.makeReplica = { replica }
    // What replicas hold is to be the same as without stores.
    options.makeStretchNonce = { nil }
    options.makeDocumentID = { nil }
    do {
      store = try Store.open(at: path, schema: SharedDocument.schema, options: options)
    } catch {
      throw CommandFailure("\(error)")
    }
    guard !store.recovery.isCopy, store.replica == replica else {
      throw CommandFailure("the store in '\(path)' is another replica's")
    }
  }

  /// The replica that the store writes as.
  var replica: ReplicaID { store.replica }

  /// Makes all durable, and closes the store.
  func close() throws {
    try store.close()
  }

  /// The document as it is committed.
  var document: Document { store.document }

  /// Sets the wall clock.
  func setClock(to milliseconds: UInt64) { clock.set(milliseconds) }

  /// Makes a change, durably, at a time of the replica's clock.
  func commit(_ change: RandomEditor.Change, at milliseconds: UInt64) throws {
    clock.set(milliseconds)
    try store.edit(.full) { edit in try change(&edit) }
  }
}
