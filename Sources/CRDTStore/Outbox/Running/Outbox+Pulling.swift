import CRDTKit

extension Outbox {
  /// Sends pending operations, pulls and applies the server's changes, and sends the rest.
  ///
  /// - Parameters:
  ///   - collections: The collections to pull; `nil` for all that are synced with the
  ///     server.
  ///   - limit: How long it may take.
  /// - Returns: The result.
  public func sync(
    _ collections: Set<String>? = nil, within limit: Duration? = nil
  ) async -> Outbox.Report {
    let deadline = limit.map { options.clock.elapsed + $0 }
    return await exchange { report in
      await drain(until: deadline, &report)
      let interruption = report.interruption
      // An operation that makes the server fail must not prevent the pull.
      if interruption?.isOfOperation == true { report.interruption = nil }
      if report.interruption == nil { await pull(collections, until: deadline, &report) }
      if report.interruption == nil, interruption == nil { await drain(until: deadline, &report) }
      report.interruption = interruption ?? report.interruption
    }
  }

  /// Pulls the server's changes and applies them.
  ///
  /// - Parameters:
  ///   - collections: The collections to pull; `nil` for all that are synced with the
  ///     server.
  ///   - limit: How long it may take.
  /// - Returns: The result.
  public func pull(
    _ collections: Set<String>? = nil, within limit: Duration? = nil
  ) async -> Outbox.Report {
    let deadline = limit.map { options.clock.elapsed + $0 }
    return await exchange { report in
      await pull(collections, until: deadline, &report)
      report.pending = core.monitor.withLock { core.outbox.pendingCount }
    }
  }

  private func pull(
    _ collections: Set<String>?, until deadline: Duration?, _ report: inout Outbox.Report
  ) async {
    let known = core.options.models.served
    for collection in known where collections?.contains(collection) ?? true {
      await pull(collection, until: deadline, &report)
      if report.interruption != nil { return }
    }
  }

  private func pull(
    _ collection: String, until deadline: Duration?, _ report: inout Outbox.Report
  ) async {
    var renewal = CredentialRenewal()
    var cursor = core.cursor(of: collection)
    var cycle = CursorCycle()
    while true {
      if isOver(deadline) {
        report.interruption = .deadline
        return
      }
      let request = Outbox.PullRequest(collection: collection, cursor: cursor)
      let number = core.beginPage(after: cursor)
      defer { core.endPage(number) }
      let result = await limited(until: deadline) { [transport] () throws(RemoteError) in
        try await transport.pull(request)
      }
      switch result {
      case .success(let page):
        report.answers += 1
        report.pulled += page.records.count
        do {
          report.changed += try core.takeIn(page, number, of: collection, at: now)
        } catch {
          report.interruption = .store("\(error)")
          return
        }
        // A server that reports more but repeats its cursor would be asked forever.
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

extension Outbox.Report.Interruption {
  /// Whether the server answered, and a single operation may be the cause of the failure.
  fileprivate var isOfOperation: Bool {
    guard case .remote(let error) = self else { return false }
    return switch error.kind {
    case .serverFailed, .serverRejected, .corruptLocalState, .unknown: true
    case .networkUnavailable, .unauthorized, .timeout, .cancelled: false
    }
  }
}

/// Detects repeated page cursors without storing them all.
///
/// It stores one cursor, and replaces it after 1, 2, 4, 8 … pages. A cycle of any length is
/// found after at most three times its length.
struct CursorCycle {
  private var kept: [UInt8]?
  private var count = 0
  private var end = 1

  /// Records a cursor, and returns whether it is a known repetition.
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

/// Requested pages that are not applied yet, with the records that the server has answered
/// about since.
///
/// A page may be older than those answers.
struct PagesUnderWay: Sendable {
  /// A page that was requested, and the records for which it may be out of date.
  typealias Page = (start: [UInt8]?, overtaken: Set<Document.RecordID>)

  private var pages: [Int: Page] = [:]
  private var nextNumber = 0

  /// Records the request of a page that follows a cursor.
  ///
  /// Returns its number.
  mutating func begin(after cursor: [UInt8]?) -> Int {
    defer { nextNumber += 1 }
    pages[nextNumber] = (cursor, [])
    return nextNumber
  }

  /// Records that the server answered about a record.
  ///
  /// - Complexity: O(pages in progress).
  mutating func note(_ record: Document.RecordID) {
    for number in pages.keys { pages[number]?.overtaken.insert(record) }
  }

  /// Removes and returns a page.
  mutating func end(_ number: Int) -> Page {
    pages.removeValue(forKey: number) ?? (nil, [])
  }
}
