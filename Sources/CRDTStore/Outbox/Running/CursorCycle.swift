/// Finds out whether cursors of pages come back, without keeping them all.
///
/// One is kept, and exchanged for a later one after 1, 2, 4, 8 … pages: a circle of any
/// length comes back to one of them, after three times its length at most.
struct CursorCycle {
  private var kept: [UInt8]?
  private var count = 0
  private var end = 1

  /// Whether a cursor was there before, as far as that is known; it is noted.
  mutating func comesBack(to cursor: [UInt8]) -> Bool {
    if cursor == kept { return true }
    count += 1
    if count == end {
      kept = cursor
      end *= 2
      count = 0
    }
    return false
  }
}
