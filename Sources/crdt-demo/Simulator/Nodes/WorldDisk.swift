import CRDTKit
import CRDTStore
import CRDTStoreTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The disk of a node of a ``World``: it loses what was not synchronised when the
/// power is cut, and fails when it is told to.
struct WorldDisk {
  private(set) var files = SimulatedFileSystem()
  var tally = DiskTally()
  /// Whether it says that it has synchronised what it hasn't.
  private let isLying: Bool

  init(isLying: Bool) {
    self.isLying = isLying
    files.ignoresSynchronization = isLying
  }

  /// How many bytes fit on it; `nil` if any number does.
  var capacity: Int? {
    get { files.capacity }
    nonmutating set { files.capacity = newValue }
  }

  /// How many calls were made of it since it was last turned on.
  var callCount: Int { files.callCount }

  /// Is as an image says from now on, all of it durable.
  mutating func become(_ image: DiskImage) {
    files = SimulatedFileSystem(image)
    files.ignoresSynchronization = isLying
  }

  /// Ends the process that uses it; the machine goes on.
  mutating func kill() {
    files.killProcess()
    files.capacity = nil
  }

  /// Cuts the power as it was after a number of calls, or all of them: some of what
  /// wasn't synchronised is there when it comes back, and some isn't.
  mutating func cutPower(after call: Int? = nil, using dice: inout SeededGenerator) {
    let images = files.history.images(
      atCall: call ?? files.callCount, choices: .few, seed: dice.next())
    files.killProcess()
    become(images[dice.below(images.count)].image)
  }

  /// Cuts the power as it was after one of the calls since there were so many.
  mutating func cutPower(since calls: Int, using dice: inout SeededGenerator) {
    cutPower(after: calls + dice.below(files.callCount - calls + 1), using: &dice)
  }

  /// How a store on it is opened: without threads, whose work is done when virtual time
  /// says so.
  func options(
    of place: Int, clock: NodeClock, settings: DiskSettings
  ) -> Store.Options {
    var options = Store.Options()
    options.fileSystem = files
    options.clock = clock
    options.compaction = .manual
    options.hasThreads = false
    // Small, so that there are several.
    if settings.compaction > 0 { options.segmentBytes = max(settings.compaction / 2, 256) }
    options.documentID = DocumentID(named: "world")
    options.makeStoreNumber = { UInt64(place) }
    options.makeStretchNonce = {
      UInt32(truncatingIfNeeded: Fingerprint.of(clock.milliseconds << 10 | UInt64(place)))
    }
    return options
  }

  /// Lets one of the next calls go wrong, or the disk be full.
  mutating func spoil(using dice: inout SeededGenerator) {
    if dice.below(4) == 0 {
      tally.fullDisks += 1
      files.capacity = files.usedBytes + dice.below(64)
      return
    }
    tally.failures += 1
    let effects: [DiskFault.Effect] = [
      .fails(EIO), .failsDone(EIO), .fails(EINTR), .isShort(1), .isShort(7),
    ]
    files.schedule(
      DiskFault(effects[dice.below(effects.count)], number: 1 + dice.below(2)))
  }

  /// Lets all go well again.
  mutating func heal() {
    files.clearFaults()
    files.capacity = nil
  }
}

/// What the disks of stores in a ``World`` are like, and how their stores use them.
struct DiskSettings: Equatable, Sendable {
  /// The chance that an edit doesn't wait for the disk.
  var relaxed = 0.25
  /// The chance that a call fails during an edit, or that the disk is full.
  var faults = 0.0
  /// How many bytes of changes a snapshot is written for; 0 for never.
  var compaction = 4_096
  /// Whether backups are made, now and then.
  var hasBackups = false

  /// How long relaxed commits wait at most, in microseconds: as a store's own thread
  /// has it.
  static let gatheringMicroseconds: UInt64 = 100_000

  /// Whether a store is to be compacted, by the rule of the store itself.
  func asksForCompaction(_ store: Store) -> Bool {
    guard compaction > 0 else { return false }
    let statistics = store.statistics
    return statistics.liveSegmentBytes >= max(compaction, statistics.snapshotBytes)
  }
}
