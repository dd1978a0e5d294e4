import CRDTStore
import CRDTStoreTesting

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

  /// Ends the process that uses it; the machine goes on.
  mutating func kill() {
    files.killProcess()
    files.capacity = nil
  }

  /// Cuts the power as it was after a number of calls, or all of them: some of what
  /// wasn't synchronised is there when it comes back, and some isn't.
  mutating func cutPower(after call: Int? = nil, using dice: inout SplitMix64) {
    let images = files.history.images(
      atCall: call ?? files.callCount, choices: .few, seed: dice.next())
    files.killProcess()
    files = SimulatedFileSystem(images[dice.below(images.count)].image)
    files.ignoresSynchronization = isLying
  }

  /// Lets one of the next calls go wrong, or the disk be full.
  mutating func spoil(using dice: inout SplitMix64) {
    if dice.below(4) == 0 {
      tally.fullDisks += 1
      files.capacity = files.usedBytes + dice.below(64)
      return
    }
    tally.failures += 1
    let (inputOutput, interrupted): (Int32, Int32) = (5, 4)
    let effects: [DiskFault.Effect] = [
      .fails(inputOutput), .failsDone(inputOutput), .fails(interrupted), .isShort(1), .isShort(7),
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
