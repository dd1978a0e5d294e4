import CRDTStore
import CRDTStoreTesting

/// A node of a world that keeps a real store on a disk in memory, and starts it again
/// after crashes.
protocol StoreKeeper {
  var disk: WorldDisk { get set }
  var store: Store? { get }
  var settings: NodeSettings { get }
  /// The violated invariants.
  var failures: [String] { get set }

  /// Opens the store from the disk.
  mutating func open(creating: Bool)

  /// Releases the store, whose process has ended.
  mutating func forgetStore()

  /// Finds out what the store has, and what of the pending changes is left.
  mutating func resume()

  /// Takes note of what is durable by now.
  mutating func settle()
}

extension StoreKeeper {
  /// Ends the process, or cuts the power.
  mutating func stop(_ dice: inout SeededGenerator) {
    if dice.below(4) == 0 {
      disk.tally.kills += 1
      disk.kill()
    } else {
      disk.tally.cuts += 1
      disk.cutPower(using: &dice)
    }
  }

  /// Opens the store again, now and then with another power cut while it opens.
  mutating func restart(_ dice: inout SeededGenerator) {
    forgetStore()
    if dice.below(4) == 0 {
      let before = disk.callCount
      open(creating: false)
      disk.tally.cutsInRecoveries += 1
      disk.cutPower(since: before, using: &dice)
      forgetStore()
    }
    open(creating: false)
    resume()
  }

  mutating func compactIfDue() {
    guard let store, settings.disks.asksForCompaction(store) else { return }
    compact()
    settle()
  }

  mutating func compact() {
    do throws(StoreError) { try store?.compact() } catch {
      failures.append("a compaction has failed: \(error)")
    }
    disk.tally.compactions += 1
  }
}
