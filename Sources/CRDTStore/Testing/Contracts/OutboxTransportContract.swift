public import CRDTKit
public import CRDTStore

/// The contract of `Outbox.Transport`.
public enum OutboxTransportContract {
  /// Checks a transport.
  ///
  /// Its server may have other records.
  ///
  /// The server has a collection whose records have a string `title`. It accepts operations
  /// on it during the check, and compares versions.
  ///
  /// - Parameters:
  ///   - transport: The transport to check.
  ///   - collection: The collection that may be written to.
  ///   - replica: The writer; use a new one for each check of the same server.
  ///   - setFault: Lets the server, or the way to it, fail so until it is called again; with
  ///     `nil` all is well. Without it, how failures are told is not checked. The transport
  ///     must give up waiting for an answer within ``ContractPatience/limit``, but after a
  ///     tenth of it.
  /// - Returns: The violations; empty if it keeps the contract.
  public static func check(
    _ transport: any Outbox.Transport, collection: String = "notes",
    replica: ReplicaID = .random(),
    setFault: (@Sendable (TransportFault?) async throws -> Void)? = nil
  ) async -> [ContractViolation] {
    var client = Client(transport: transport, collection: collection, replica: replica)
    do {
      try await client.checkPushing()
      try await client.checkPulling()
      await client.checkCancelled()
      if let setFault {
        try await client.checkFaults(setFault)
        try await client.checkRecovery()
      }
    } catch {
      client.report.note(error, "a server that is well answers")
    }
    return client.report.violations
  }

  /// The client of the server, and the violations found so far.
  struct Client {
    let transport: any Outbox.Transport
    let collection: String
    let replica: ReplicaID
    var counter: UInt64 = 0
    var report = ContractReport("Outbox.Transport")
  }
}

extension OutboxTransportContract.Client {
  mutating func operation(
    _ record: String, _ title: String, kind: Outbox.OperationKind = .update,
    baseVersion: String? = nil
  ) -> Outbox.Envelope {
    counter += 1
    let changes =
      kind == .delete ? [] : [Document.FieldChange("title", .assign(.string(title), before: nil))]
    return Outbox.Envelope(
      id: Outbox.OperationID(
        dot: Dot(replica, counter),
        record: Document.RecordID("\(replica)-\(record)", in: collection)),
      kind: kind, createdMilliseconds: 1_700_000_000_000, changes: changes,
      baseVersion: baseVersion)
  }

  /// The version with which an operation was accepted; `nil` if it wasn't.
  mutating func acceptance(
    of operation: Outbox.Envelope, _ rule: String
  ) async throws(RemoteError) -> String? {
    let answers = try await transport.push([operation])
    guard answers.count == 1, answers[0].id == operation.id,
      case .accepted(let version?) = answers[0].outcome
    else {
      report.expect(false, rule, "\(answers)")
      return nil
    }
    return version
  }

  mutating func checkPushing() async throws(RemoteError) {
    let none = try await transport.push([])
    report.expect(none.isEmpty, "a push of nothing is answered by nothing", "\(none)")
    let creation = operation("a", "1", kind: .create)
    let first = try await acceptance(of: creation, "a creation is accepted, with a version")
    let again = try await acceptance(of: creation, "what comes again is accepted again")
    report.expect(
      again == first, "what comes again is answered as it was, and not done again",
      "\(String(describing: again)) after \(String(describing: first))")
    let change = operation("a", "2", baseVersion: first)
    let second = try await acceptance(of: change, "a change of the newest version is accepted")
    report.expect(
      second != first, "each change makes a new version", "\(String(describing: second))")
    let late = try await acceptance(of: creation, "what comes late is accepted as it was")
    report.expect(
      late == first, "what comes again after others is not done again",
      "\(String(describing: late))")
    try await checkConflict(stale: first, newest: second)
    try await checkBatch(newest: second)
  }

  private mutating func checkConflict(
    stale: String?, newest: String?
  ) async throws(RemoteError) {
    let change = operation("a", "3", baseVersion: stale)
    let answers: [Outbox.Answer]
    do throws(RemoteError) { answers = try await transport.push([change]) } catch {
      return report.note(error, "a conflict, as a status 409, is an answer and no error")
    }
    guard case .conflict(let record)? = answers.first?.outcome else {
      return report.expect(false, "a change of an older version is a conflict", "\(answers)")
    }
    report.expect(
      record.record == change.record && record.version == newest && !record.isDeleted,
      "a conflict gives the record and its newest version", "\(record)")
    report.expect(
      record.fields["title"] == "2", "a conflict gives the record's fields, and changes nothing",
      "\(record.fields)")
  }

  private mutating func checkBatch(newest: String?) async throws(RemoteError) {
    let batch = [
      operation("b", "1", kind: .create), operation("a", "4", baseVersion: "none such"),
      operation("c", "1", kind: .create), operation("a", "5", kind: .delete, baseVersion: newest),
    ]
    let answers = try await transport.push(batch)
    let outcomes = Dictionary(answers.map { ($0.id, $0.outcome) }, uniquingKeysWith: { $1 })
    report.expect(
      answers.count == batch.count && Set(outcomes.keys) == Set(batch.map(\.id)),
      "each operation of a batch is answered once", "\(answers)")
    for operation in batch {
      let isAccepted = if case .accepted? = outcomes[operation.id] { true } else { false }
      report.expect(
        isAccepted == (operation.baseVersion != "none such"),
        "operations of a batch are done each by itself",
        "\(operation.id): \(String(describing: outcomes[operation.id]))")
    }
  }

  /// All records of the check after a cursor, in pages of two.
  private mutating func pull(
    after start: [UInt8]?
  ) async throws(RemoteError) -> (records: [String: Outbox.ServerRecord], cursor: [UInt8]?) {
    var records: [String: Outbox.ServerRecord] = [:]
    var cursor = start
    for _ in 0..<10_000 {
      let page = try await transport.pull(
        Outbox.PullRequest(collection: collection, cursor: cursor, limit: 2))
      report.expect(page.records.count <= 2, "a page has no more than was asked for", "\(page)")
      let prefix = "\(replica)-"
      for record in page.records where record.record.record.hasPrefix(prefix) {
        records[String(record.record.record.dropFirst(prefix.count))] = record
      }
      cursor = page.cursor ?? cursor
      guard page.hasMore else { return (records, cursor) }
    }
    report.expect(false, "pages come to an end", "10,000 pages")
    return (records, cursor)
  }

  mutating func checkPulling() async throws(RemoteError) {
    let (all, cursor) = try await pull(after: nil)
    report.expect(
      Set(all.keys) == ["a", "b", "c"], "pages hold every record that has changed",
      "\(all.keys.sorted())")
    report.expect(
      all["a"]?.isDeleted == true, "pages hold deleted records, marked so",
      "\(String(describing: all["a"]))")
    report.expect(
      all["b"]?.fields["title"] == "1", "pages hold the fields of records",
      "\(String(describing: all["b"]))")
    let (none, same) = try await pull(after: cursor)
    report.expect(none.isEmpty, "a cursor leaves out what came before it", "\(none.keys.sorted())")
    let change = operation("b", "2", baseVersion: all["b"]?.version)
    let version = try await acceptance(of: change, "a change of a pulled version is accepted")
    let (more, _) = try await pull(after: same)
    report.expect(
      more["b"]?.version == version && more["b"]?.fields["title"] == "2",
      "a cursor gives what has changed since", "\(more)")
  }

  /// Checks that a change succeeds after all faults.
  mutating func checkRecovery() async throws(RemoteError) {
    let last = operation("d", "1", kind: .create)
    _ = try await acceptance(of: last, "what failed before leaves the transport usable")
  }
}
