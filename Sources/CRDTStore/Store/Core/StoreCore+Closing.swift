import CRDTKit

extension StoreCore {
  /// Writes what waits, notes that the store ends in good order, and gives the
  /// folder back.
  ///
  /// Closing what is closed does nothing.
  func close() throws(StoreError) {
    monitor.lock()
    defer { monitor.unlock() }
    if isClosing {
      while folder != nil { monitor.wait(for: .done) }
      return
    }
    // From here on nobody commits; who has, is waited for.
    isClosing = true
    monitor.ring(.work)
    while isCompacting || isWriting || hasWriter { monitor.wait(for: .done) }
    if failure == nil, log != nil {
      recordPeers()
      batch.add(.end)
      writeBatch()
      if failure == nil, let log, let folder {
        folder.note(ClosingMark(store: number, segment: log.number, size: log.size))
      }
    }
    changes.finish()
    peerNews.finish()
    log?.close()
    folder?.close()
    log = nil
    folder = nil
    for waiter in waiters { waiter.continuation.resume(returning: .closed(path: path)) }
    waiters = []
    monitor.ring(.done)
    if let failure { throw failure }
  }
}
