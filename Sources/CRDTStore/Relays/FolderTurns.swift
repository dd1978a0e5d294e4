/// Lets one at a time, of all that a store has at work in a folder, do a round there.
///
/// Two rounds of one store would give their files one number, and tidy each other's away.
final class FolderTurns: @unchecked Sendable {
  private let monitor = Monitor()
  // Guarded by the monitor.
  private var taken: Set<UInt64> = []

  /// Does something in a folder, by its number, after whoever is at it.
  func take<Result>(
    _ folder: UInt64, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    monitor.withLock {
      while !taken.insert(folder).inserted { monitor.wait(for: .done) }
    }
    defer {
      monitor.withLock {
        taken.remove(folder)
        monitor.ring(.done)
      }
    }
    return try body()
  }
}
