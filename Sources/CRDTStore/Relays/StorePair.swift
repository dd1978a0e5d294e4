import CRDTKit

/// Two stores in one process, which sync by a session in memory.
struct StorePair {
  let left: StoreCore
  let right: StoreCore

  /// Runs the session until neither side has anything to send.
  ///
  /// - Throws: ``StoreError/otherDocument(path:found:expected:)`` if the right store has
  ///   another document, as a folder with another document does.
  func round() throws(StoreError) -> Store.SyncReport {
    var report = Store.SyncReport()
    let (mine, theirs) = (
      Exchange(core: left, limits: .standard), Exchange(core: right, limits: .standard)
    )
    let before = (left.document.version, right.document.version)
    defer {
      mine.disconnect()
      theirs.disconnect()
    }
    var toRight = try report.sent(mine.finish(try mine.connect()))
    var toLeft = try report.taken(theirs.finish(try theirs.connect()))
    while report.failure == nil, !toRight.isEmpty || !toLeft.isEmpty {
      let (forRight, forLeft) = (toRight, toLeft)
      toRight = []
      toLeft = []
      if !forLeft.isEmpty { toRight = try report.sent(mine.finish(try mine.receive(forLeft))) }
      if !forRight.isEmpty {
        toLeft = try report.taken(theirs.finish(try theirs.receive(forRight)))
      }
    }
    if case .differentDocument(let found, let own)? = report.failure {
      throw .otherDocument(path: right.path, found: found, expected: own)
    }
    report.deltasSent = right.document.version == before.1 ? 0 : 1
    report.deltasTaken = left.document.version == before.0 ? 0 : 1
    report.isSynchronized = report.failure == nil && mine.isSynchronized && theirs.isSynchronized
    return report
  }
}

extension Store.SyncReport {
  /// Counts the bytes that are sent, and returns them.
  fileprivate mutating func sent(_ actions: [Store.Session.Action]) -> [UInt8] {
    let bytes = take(actions)
    bytesSent += bytes.count
    return bytes
  }

  /// Counts the bytes that are received, and returns them.
  fileprivate mutating func taken(_ actions: [Store.Session.Action]) -> [UInt8] {
    let bytes = take(
      actions.map { action in
        // The report is that of the store on the other side.
        guard case .close(.differentDocument(let found, let own)) = action else { return action }
        return .close(.differentDocument(found: own, own: found))
      })
    bytesTaken += bytes.count
    return bytes
  }

  private mutating func take(_ actions: [Store.Session.Action]) -> [UInt8] {
    var bytes: [UInt8] = []
    for action in actions {
      switch action {
      case .send(let part): bytes += part
      case .close(let failure): self.failure = self.failure ?? failure
      }
    }
    return bytes
  }
}
