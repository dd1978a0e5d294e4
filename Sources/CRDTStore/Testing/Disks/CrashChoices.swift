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
