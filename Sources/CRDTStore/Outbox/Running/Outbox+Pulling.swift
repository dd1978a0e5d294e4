import CRDTKit

extension Outbox {
  /// Sends what waits, takes in what has changed at the server, and sends what is left
  /// to be sent then.
  ///
  /// - Parameters:
  ///   - collections: The collections to be asked for; `nil` for all that the server has
  ///     a part in.
  ///   - limit: How long it may take.
  /// - Returns: What came of it.
  public func sync(
    _ collections: Set<String>? = nil, within limit: Duration? = nil
  ) async -> OutboxReport {
    let deadline = limit.map { options.clock.elapsed + $0 }
    return await exchange { report in
      await drain(until: deadline, &report)
      let interruption = report.interruption
      // What it fails over must not keep the server's changes from coming.
      if interruption?.isOfOperation == true { report.interruption = nil }
      if report.interruption == nil { await pull(collections, until: deadline, &report) }
      if report.interruption == nil, interruption == nil { await drain(until: deadline, &report) }
      report.interruption = interruption ?? report.interruption
    }
  }

  /// Takes in what has changed at the server.
  ///
  /// - Parameters:
  ///   - collections: The collections to be asked for; `nil` for all that the server has
  ///     a part in.
  ///   - limit: How long it may take.
  /// - Returns: What came of it.
  public func pull(
    _ collections: Set<String>? = nil, within limit: Duration? = nil
  ) async -> OutboxReport {
    let deadline = limit.map { options.clock.elapsed + $0 }
    return await exchange { report in
      await pull(collections, until: deadline, &report)
      report.pending = core.monitor.withLock { core.outbox.pendingCount }
    }
  }

  private func pull(
    _ collections: Set<String>?, until deadline: Duration?, _ report: inout OutboxReport
  ) async {
    let known = core.options.models.served
    for collection in known where collections?.contains(collection) ?? true {
      await pull(collection, until: deadline, &report)
      if report.interruption != nil { return }
    }
  }

  private func pull(
    _ collection: String, until deadline: Duration?, _ report: inout OutboxReport
  ) async {
    var renewal = CredentialRenewal()
    var isGapless = true
    var cursor = core.cursor(of: collection)
    var cycle = CursorCycle()
    while true {
      if isOver(deadline) {
        report.interruption = .deadline
        return
      }
      let request = PullRequest(collection: collection, cursor: cursor)
      let number = core.beginPage()
      defer { core.endPage(number) }
      let result = await limited(until: deadline) { [transport] () throws(RemoteError) in
        try await transport.pull(request)
      }
      switch result {
      case .success(let page):
        report.answers += 1
        report.pulled += page.records.count
        do {
          let (changed, isWhole) = try core.takeIn(
            page, number, of: collection, isGapless: isGapless, at: now)
          report.changed += changed
          isGapless = isGapless && isWhole
        } catch {
          report.interruption = .store("\(error)")
          return
        }
        // A remote that says that there is more and doesn't go on would be asked for ever.
        guard page.hasMore, let next = page.cursor, next != request.cursor else { return }
        if cycle.comesBack(to: next) {
          let message = "the pages of \(collection.visible) go round in a circle"
          report.interruption = .remote(RemoteError(.unknown, message))
          return
        }
        cursor = next
      case .failure(let error):
        if await renewal.renews(after: error, for: self, until: deadline) { continue }
        report.interruption = isOver(deadline) ? .deadline : .remote(error)
        return
      }
    }
  }
}

extension OutboxReport.Interruption {
  /// Whether the server answered, and it may be but one operation that it fails over.
  fileprivate var isOfOperation: Bool {
    guard case .remote(let error) = self else { return false }
    return switch error.kind {
    case .serverFailed, .serverRejected, .corruptLocalState, .unknown: true
    case .networkUnavailable, .unauthorized, .timeout, .cancelled: false
    }
  }
}

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

/// Pages that a server was asked for and that were not taken in yet, with the records of
/// which it has said something since: a page may be from before that.
struct PagesUnderWay: Sendable {
  private var overtaken: [Int: Set<Document.RecordID>] = [:]
  private var nextNumber = 0

  /// Notes that a page is asked for; gives its number.
  mutating func begin() -> Int {
    defer { nextNumber += 1 }
    overtaken[nextNumber] = []
    return nextNumber
  }

  /// Notes that something that the server said of a record was heard.
  ///
  /// - Complexity: O(pages under way).
  mutating func note(_ record: Document.RecordID) {
    for number in overtaken.keys { overtaken[number]?.insert(record) }
  }

  /// Forgets a page; gives the records of which it may be behind.
  @discardableResult
  mutating func end(_ number: Int) -> Set<Document.RecordID> {
    overtaken.removeValue(forKey: number) ?? []
  }
}
