/// Which of the images that a power cut may leave are made.
package struct CrashChoices: Sendable {
  /// In which order names reach the disk.
  package enum NameOrder: Sendable {
    /// As in a journal: in the order in which they were made, in all folders; and what
    /// makes one durable makes the earlier ones durable as well.
    case journaled
    /// Each on its own, those of a folder when it is synchronized. A rename may leave
    /// both names, but never neither.
    case unordered
  }

  package var nameOrder: NameOrder
  /// The most places at which the last write to a file is torn; if it has no more
  /// bytes than that, it is torn at every one.
  package var tearMax: Int
  /// The most changes to a file, or to names, that are taken one by one; the last.
  package var changeMax: Int
  /// How many images are put together by chance.
  package var randomCount: Int

  package init(
    nameOrder: NameOrder = .unordered, tearMax: Int = 12, changeMax: Int = 12,
    randomCount: Int = 8
  ) {
    self.nameOrder = nameOrder
    self.tearMax = tearMax
    self.changeMax = changeMax
    self.randomCount = randomCount
  }

  /// All or nothing, and a few by chance.
  package static let few = CrashChoices(tearMax: 1, changeMax: 1, randomCount: 2)
}

/// What a power cut does to the changes of a file that are not safe.
enum FileChoice: Hashable, Sendable {
  case nothing
  case everything
  /// So many, in their order.
  case first(Int)
  /// All but one.
  case without(Int)
  /// The last one is a write of which only so many bytes were made; the size may be
  /// there already.
  case torn(Int, isExtended: Bool)
  /// The last one is a write of which only the bytes from there on were made.
  case tail(Int)
  /// All sizes, but no bytes.
  case sizes
  case random(UInt64)
}

/// What a power cut does to the names that are not safe.
enum NameChoice: Hashable, Sendable {
  case nothing
  case everything
  case first(Int)
  case without(Int)
  /// All but the removal of the old name in a rename.
  case linked(Int)
  case random(UInt64)
}

/// An image that a crash may leave, and how it came about.
package struct CrashImage: Sendable, CustomStringConvertible {
  package let image: DiskImage
  let names: NameChoice
  let files: [(node: Int, name: String, choice: FileChoice)]

  package var description: String {
    "of the pending names: \(names)"
      + files.map { "; of the pending changes to \($0.name): \($0.choice)" }.joined()
  }
}

/// What a disk leaves to chance, repeated by a seed: SplitMix64 (Steele, Lea, Flood,
/// 2014).
struct DiskChance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
