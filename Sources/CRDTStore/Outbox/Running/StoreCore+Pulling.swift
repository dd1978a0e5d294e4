import CRDTKit

extension StoreCore {
  private static let cursorArea = "cursor/"

  /// Where the last page of a collection ended.
  func cursor(of collection: String) -> [UInt8]? {
    monitor.withLock { local[Self.cursorArea + collection] }
  }

  /// Takes in a page of a server's changes, with where it ends, in memory; gives how
  /// many records came to be different.
  func takeIn(_ page: PullPage, of collection: String, at now: UInt64) throws -> Int {
    monitor.lock()
    defer { monitor.unlock() }
    try checkWritable()
    var local: [LocalChange] = []
    if let cursor = page.cursor {
      local.append(LocalChange(key: Self.cursorArea + collection, value: cursor))
    }
    if !page.hasMore { local.append(Self.syncedChange(collection, at: now)) }
    // What is of another collection was not asked for.
    let records = page.records.filter { $0.record.collection == collection }
    return try takeIn(records, keeping: local).changed.count
  }
}
