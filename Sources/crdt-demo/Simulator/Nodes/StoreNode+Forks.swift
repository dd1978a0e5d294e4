import CRDTKit
import CRDTStore
import CRDTStoreTesting

extension StoreNode {
  /// What there was when the last backup was made.
  struct Backup {
    /// The whole disk.
    var image: DiskImage
    var path: String
    var shadow: Shadow
  }

  /// Keeps the disk as it is, to be put back, with a backup of the store itself.
  mutating func keepDisk() {
    imageBackup = Backup(image: disk.image, path: path, shadow: shadow)
  }

  /// Puts an older copy in the place of the store's folder.
  mutating func putBack(_ dice: inout SeededGenerator) {
    guard let kept = imageBackup, kept.path == path else { return }
    var putting = DiskPutting.allCases[dice.below(DiskPutting.allCases.count)]
    if putting == .movedIn, backup == nil { putting = .unpacked }
    disk.tally.lostRelaxed += acknowledgedCount
    forgetWrites()
    shadow = kept.shadow
    disk.tally.puttings[putting, default: 0] += 1
    do throws(SystemError) {
      switch putting {
      case .image: disk.become(kept.image)
      case .movedIn:
        try disk.move(backup ?? path, to: path)
        backup = nil
      default:
        try disk.put(
          kept.image, path, by: putting, leavingHome: settings.sabotage == .homeless)
      }
    } catch {
      failures.append("the folder can't be put back: \(error)")
    }
    if putting == .image { backup = nil }
    restores += 1
    openCopy(isNoticed: putting.isNoticed)
  }

  mutating func become(copyOf other: StoreNode, draw: UInt64) {
    // What others see there is durable.
    try? other.store?.flush()
    var dice = SeededGenerator(seed: draw, stream: 33)
    let isImage = dice.below(2) == 0
    let image = other.disk.image
    disk.become(isImage ? image : DiskImage(files: image.files, folders: image.emptyFolders))
    disk.tally.copies += 1
    (path, backup, imageBackup) = (other.path, nil, nil)
    (replica, shadow) = (other.replica, other.shadow)
    for edit in other.pending { shadow.insert(edit.serial) }
    forgetWrites()
    restores += 1
    openCopy(isNoticed: !isImage)
    restart(&dice)
  }

  /// Opens what was put in the store's place, and sees whether that is noticed.
  private mutating func openCopy(isNoticed: Bool) {
    forgetStore()
    open(creating: false)
    if let store, store.recovery.isCopy != isNoticed {
      failures.append(
        isNoticed
          ? "the store doesn't notice that it is a copy" : "the store takes itself for a copy")
    }
    disk.kill()
  }

  private mutating func forgetWrites() {
    (pending, acknowledgedCount, doubtful, durableVersion) = ([], 0, nil, [:])
  }

  /// Goes on under the name that the store has taken, if it has.
  mutating func noteName() {
    guard settings.hasForks, let store, store.replica != replica else { return }
    replica = store.replica
  }

  /// Takes note of edits that are durable.
  mutating func record(_ edits: [RecordedEdit]) {
    log += edits
    if settings.hasForks { for edit in edits { shadow.insert(edit.serial) } }
  }
}
