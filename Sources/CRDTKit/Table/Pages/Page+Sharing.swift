public import Synchronization

/// A page that is continued lends its free room, so that a table that is written row by row
/// while copies of it come and go copies no rows.
///
/// The rows after the stored ones belong to the pages that have added them, as a prefix of
/// their own order: a page may add one only if it has all the others. Which page is first
/// when two would add a row is decided by an exchange of the number of lent rows. Those rows
/// are never read by way of the page that has lent the room, and stay until it is changed or
/// freed, which no other page holds then.
extension Page {
  /// The number of rows that this page has lent room for: the fourth field of the header.
  ///
  /// An `Atomic` has the layout of its value.
  @inlinable
  var lent: UnsafeMutablePointer<Atomic<Int>> {
    UnsafeMutableRawPointer(digestsAddress + 1).assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// The number of those rows.
  @inlinable
  package var lentCount: Int { lent.pointee.load(ordering: .acquiring) }

  /// The page whose rows this one continues: this page, if it stores all its rows.
  @inlinable
  var lender: Page {
    guard let source = withUnsafeMutablePointerToHeader({ $0.pointee.source }) else { return self }
    return unsafeDowncast(source, to: Page.self)
  }

  /// Whether the lender has free room, and no rows after those that this page has.
  @inlinable
  var mayBorrowRoom: Bool {
    let lender = lender
    let place = split == 0 ? stored : split
    return place < lender.room && lender.lentCount == place &- lender.stored
  }

  /// Takes the room for one row after those that are shared with the lender; returns whether
  /// there was any.
  @inlinable
  func borrowRoom() -> Bool {
    let lender = lender
    let place = split
    guard place < lender.room else { return false }
    let lent = place &- lender.stored
    return lender.lent.pointee.compareExchange(
      expected: lent, desired: lent &+ 1, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Removes the rows for which room was lent; no page continues this one any more.
  ///
  /// A page on another thread may have added them and been freed since. Its release of this
  /// page comes before the check that only one holder is left, but only a fence orders what
  /// is read after that check.
  @inlinable
  func dropLentRows() {
    atomicMemoryFence(ordering: .acquiring)
    let header = withUnsafeMutablePointerToHeader { $0 }
    guard header.pointee.lent > 0 else { return }
    (elements + header.pointee.stored).deinitialize(count: header.pointee.lent)
    header.pointee.lent = 0
  }
}
