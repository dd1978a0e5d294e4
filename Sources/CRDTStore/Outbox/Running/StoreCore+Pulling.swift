import CRDTKit

extension StoreCore {
  private static let cursorArea = "cursor/"

  /// Where the last page of a collection ended.
  func cursor(of collection: String) -> [UInt8]? {
    monitor.withLock { local[Self.cursorArea + collection] }
  }

  /// Notes that a page is asked for; gives its number.
  func beginPage() -> Int {
    monitor.withLock { pagesUnderWay.begin() }
  }

  /// Forgets a page that is not taken in.
  func endPage(_ number: Int) {
    monitor.withLock { _ = pagesUnderWay.end(number) }
  }

  /// Takes in a page of a server's changes, in memory.
  ///
  /// A record with an operation that is in doubt is left out, since what the server says
  /// may be with that or without: it would be counted twice, or held against what was
  /// changed here since. So is one of which the server has said something since the page
  /// was asked for, which may be from before that; and one that waits to be made anew,
  /// where the server has it still: what it held there is gone here, and can't be told
  /// from what the server has changed. They are asked for again.
  ///
  /// Where it ends is kept if all before it, and all of it, was taken in. Gives how many
  /// records came to be different, and whether none was left out.
  func takeIn(
    _ page: PullPage, _ number: Int, of collection: String, isGapless: Bool, at now: UInt64
  ) throws -> (changed: Int, isWhole: Bool) {
    monitor.lock()
    defer { monitor.unlock() }
    let overtaken = pagesUnderWay.end(number)
    try checkWritable()
    // What is of another collection was not asked for.
    let records = page.records.filter { $0.record.collection == collection }
    let settled = records.filter { server in
      let record = server.record
      if outbox.isInDoubt(record) || isChangedOnline(record) { return false }
      if isTakenIn(server) { return true }
      return !overtaken.contains(record) && (server.isDeleted || !outbox.isMakingAnew(record))
    }
    let isWhole = settled.count == records.count
    var local: [LocalChange] = []
    if isWhole, isGapless {
      if let cursor = page.cursor {
        local.append(LocalChange(key: Self.cursorArea + collection, value: cursor))
      }
      if !page.hasMore { local.append(Self.syncedChange(collection, at: now)) }
    }
    // Another page may be from before this one.
    for record in settled { pagesUnderWay.note(record.record) }
    let news = settled.filter { !isTakenIn($0) }
    let changed = try takeIn(settled, keeping: local).changed.count
    for record in news { rebaseWaiting(on: record, at: now) }
    return (changed, isWhole)
  }

  private func isTakenIn(_ server: ServerRecord) -> Bool {
    serverVersions[server.record]?.covers(server) == true
  }
}
