/// Selects which possible disk images after a power cut are generated.
package struct CrashChoices: Sendable {
  /// The order in which names reach the disk.
  package enum NameOrder: Sendable {
    /// As in a journal: in the order of the changes, across all folders. A durable change
    /// makes all earlier ones durable.
    case journaled
    /// Independently; those of a folder when it is synchronized. A rename may leave both
    /// names, but never none.
    case unordered
  }

  package var nameOrder: NameOrder
  /// The greatest number of positions at which the last write to a file is torn.
  ///
  /// A shorter write is torn at each of its bytes.
  package var tearMax: Int
  /// How many of the last changes to a file or to names are tried one by one.
  package var changeMax: Int
  /// The number of random images.
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

/// The effect of a power cut on the changes of a file that are not durable.
enum FileChoice: Hashable, Sendable {
  case nothing
  case everything
  /// Keeps the first changes.
  case first(Int)
  /// Keeps all changes except one.
  case without(Int)
  /// The last change is a write of which only the first bytes were written; the size may
  /// already be changed.
  case torn(Int, isExtended: Bool)
  /// The last change is a write of which only the bytes from an offset on were written.
  case tail(Int)
  /// Keeps all sizes, but no bytes.
  case sizes
  case random(UInt64)
}

/// The effect of a power cut on the names that are not durable.
enum NameChoice: Hashable, Sendable {
  case nothing
  case everything
  case first(Int)
  case without(Int)
  /// Keeps everything except the removal of the old name in a rename.
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
