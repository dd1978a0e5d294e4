import CRDTKit
import CRDTStore
import CRDTStoreTesting
import Foundation

/// Stores in memory that are opened from files which somebody has changed.
struct FuzzStores {
  let files: SimulatedFileSystem

  init(_ image: DiskImage) {
    files = SimulatedFileSystem(image)
  }

  /// The same every time, and without threads of a store's own.
  var options: Store.Options {
    var options = Store.Options()
    options.fileSystem = files
    options.clock = ManualClock(milliseconds: 1_750_000_000_000)
    options.hasThreads = false
    options.compaction = .manual
    options.makeStoreNumber = { 7 }
    options.documentID = DocumentID(high: 7, low: 7)
    options.makeStretchNonce = { 5 }
    options.makeLine = { 1 }
    // A store that takes a new name again and again takes another each time.
    let replicas = Guarded<UInt64>(1_000)
    options.makeReplica = {
      ReplicaID(
        replicas.withLock {
          $0 += 1
          return $0
        })
    }
    return options
  }

  /// Opens a store, if it can be opened.
  func open(_ path: String, _ change: (inout Store.Options) -> Void = { _ in }) -> Store? {
    var options = options
    change(&options)
    return try? Store.open(at: path, options: options)
  }

  /// Makes a change, closes a store and opens it again: it must hold what it held, and be sound
  /// if it was.
  func checkReopening(
    _ store: Store, _ path: String, wasSound: Bool = true
  ) throws(Discrepancy) {
    _ = try? store.edit { $0.set("value", of: "fuzzed", in: "c", to: 1) }
    try store.document._table.checkSoundness()
    let document = store.document.encoded()
    do { try store.close() } catch { throw Discrepancy("it can't be closed: \(error)") }
    do {
      let again = try Store.open(at: path, options: options)
      try check(again.document.encoded() == document, "it holds something else when opened again")
      // Verifying also reads files that opening doesn't need, and throws for those of a later
      // version.
      let report = try? again.verify()
      try check(
        report?.isSound == true || !wasSound,
        "it isn't sound when opened again: \(report.map { "\($0)" } ?? "it can't be verified")")
      try again.close()
    } catch let error as Discrepancy {
      throw error
    } catch {
      throw Discrepancy("it can't be opened again: \(error)")
    }
  }

  /// Checks that all files were closed, and none was used afterwards.
  func checkFiles() throws(Discrepancy) {
    try check(files.openCount == 0, "\(files.openCount) files are open still")
    try check(files.misuses.isEmpty, "\(files.misuses)")
  }
}
