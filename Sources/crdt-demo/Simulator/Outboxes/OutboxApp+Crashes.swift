import CRDTKit
import CRDTStore
import CRDTStoreTesting

extension OutboxApp {
  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    var dice = SeededGenerator(seed: draw, stream: 32)
    switch kind {
    case .crash, .restore, .inPlace: stop(&dice)
    case .torn: tear(draw, &dice)
    }
    restart(&dice)
  }

  /// Cuts the power while the store does something.
  private mutating func tear(_ draw: UInt64, _ dice: inout SeededGenerator) {
    let before = disk.callCount
    if dice.below(4) == 0 {
      compact()
      disk.tally.cutsInCompactions += 1
    } else {
      _ = change(draw, .full)
      disk.tally.cutsInCommits += 1
    }
    disk.cutPower(since: before, using: &dice)
  }

  /// Starts again after a commit has failed, on a disk that is well again.
  mutating func startAnew(_ dice: inout SeededGenerator) {
    if dice.below(2) == 0 { disk.kill() } else { disk.cutPower(using: &dice) }
    restart(&dice)
  }

  /// Finds out what the store has, and what of the pending changes is left.
  mutating func resume() {
    guard let store else { return }
    let version = store.document.version
    if store.replica != replica || store.recovery.isCopy {
      failures.append("the store is taken for a copy")
    }
    if !version.contains(durableVersion) {
      failures.append("durable commits are gone: \(version) is left of \(durableVersion)")
    }
    for (number, promise) in pending.enumerated() {
      if let dot = promise.dot, dot.counter <= version[dot.replica] {
        log.append(promise)
      } else if number < acknowledgedCount {
        disk.tally.lostRelaxed += 1
      }
    }
    (pending, acknowledgedCount) = ([], 0)
    if let doubtful, version[replica] > doubtful.events {
      var promise = doubtful.promise
      let dot = Dot(replica, version[replica])
      promise.dot = dot
      // What assigns may be told together with what came before, or not at all.
      if promise.likes != 0 || promise.tag != nil {
        promise.operations = [Outbox.OperationID(dot: dot, record: OutboxNote.record(promise.name))]
      }
      log.append(promise)
    }
    doubtful = nil
    durableVersion = version
  }
}
