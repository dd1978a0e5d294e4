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
    var report = OutboxReport()
    await drain(until: deadline, &report)
    if report.interruption == nil { await pull(collections, until: deadline, &report) }
    if report.interruption == nil { await drain(until: deadline, &report) }
    await finish(&report)
    return report
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
    var report = OutboxReport()
    await pull(collections, until: limit.map { options.clock.elapsed + $0 }, &report)
    report.pending = core.monitor.withLock { core.outbox.pendingCount }
    await finish(&report)
    return report
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
    var (pages, landmark) = (0, cursor)
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
        // A remote that says that there is more and comes back to where it was would be asked
        // for ever. A landmark that is set anew ever less often meets every cycle.
        let isBack = page.cursor == request.cursor || page.cursor == landmark
        guard page.hasMore, page.cursor != nil, !isBack else { return }
        cursor = page.cursor
        pages += 1
        if pages & (pages - 1) == 0 { landmark = cursor }
      case .failure(let error):
        if await renewal.renews(after: error, for: self) { continue }
        report.interruption = isOver(deadline) ? .deadline : .remote(error)
        return
      }
    }
  }
}
