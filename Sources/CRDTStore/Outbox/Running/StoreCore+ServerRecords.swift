import CRDTKit

extension StoreCore {
  /// Takes in records as a server has them, in memory, with what else is kept in the
  /// same commit.
  ///
  /// They are written as the authority that saw what it has acknowledged, and nothing
  /// of what still waits in the outbox or was refused: so the rules of the fields say
  /// what is shown, and no edit is lost. The monitor is held.
  ///
  /// - Returns: The records that came to be different.
  func takeIn(
    _ records: [ServerRecord], keeping local: [LocalChange] = []
  ) throws -> Set<Document.RecordID> {
    let author = options.authority.delegate(for: identity.replica)
    var kept = local
    var news: [(server: ServerRecord, unheard: [OutboxOperation], base: [String: Document.Value])] =
      []
    for server in records {
      let known = serverVersions[server.record]
      let entry = ServerVersions.Entry(version: server.version, isDeleted: server.isDeleted)
      if known == entry { continue }
      serverVersions[server.record] = entry
      kept.append(ServerVersions.change(server.record, entry))
      let unheard = outbox.operations(of: server.record)
      news.append((server, unheard, base(of: server.record, without: unheard)))
    }
    guard !news.isEmpty || !kept.isEmpty else { return [] }
    var changed: Set<Document.RecordID> = []
    var isKept = false
    let (own, authority) = (identity.replica, options.authority)
    _ = try editLocked(
      .relaxed, as: author,
      local: { _ in
        isKept = true
        return kept
      },
      { editor in
        for (server, unheard, base) in news {
          let isSeen = { (dot: Dot) -> Bool in
            if dot.replica.principal == authority { return true }
            return dot.replica == own && !unheard.contains { $0.covers(dot) }
          }
          if try editor.takeIn(server, besides: own, base: base, seeing: isSeen) {
            changed.insert(server.record)
          }
        }
      })
    if !isKept { _ = commitLocally(kept, .relaxed) }
    return changed
  }

  /// The fields of a record without what the server hasn't heard of.
  private func base(
    of record: Document.RecordID, without operations: [OutboxOperation]
  ) -> [String: Document.Value] {
    var fields = working.fields(of: record.record, in: record.collection) ?? [:]
    for operation in operations.reversed() {
      fields.apply(operation.changes.reversed().map(\.inverse))
    }
    // Where the server's value is one of several, that is what it has.
    for change in operations.flatMap(\.changes) where change.isAssignment {
      let known = working.alternatives(
        of: change.path, of: record.record, in: record.collection
      ).first { $0.replica.principal == options.authority }
      guard let known else { continue }
      fields.apply([Document.FieldChange(change.path, .assign(known.value, before: nil))])
    }
    return fields
  }
}

extension Document.Editor {
  /// Takes in a record of a server; says whether that made a difference.
  fileprivate mutating func takeIn(
    _ server: ServerRecord, besides own: ReplicaID, base: [String: Document.Value],
    seeing isSeen: (Dot) -> Bool
  ) throws -> Bool {
    let record = server.record
    if server.isDeleted {
      return seeing(isSeen) { $0.delete(record.record, in: record.collection) }
    }
    let isNew = !contains(record.record, in: record.collection)
    let fields = try takeIn(
      server.fields, of: record.record, in: record.collection, besides: own,
      base: { base[$0] }, seeing: isSeen)
    return isNew || !fields.isEmpty
  }
}
