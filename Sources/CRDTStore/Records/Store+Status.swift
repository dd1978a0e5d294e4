public import CRDTKit

extension Store {
  /// How a record stands with the server.
  ///
  /// - Complexity: O(operations of the record), and O(fields with concurrent values).
  public func status<Model: Replicated>(of type: Model.Type, _ id: Model.ID) -> RecordStatus {
    core.status(of: Model.record(id))
  }

  /// How the collections stand, by name: those of the store's models, and others that
  /// have records.
  ///
  /// - Complexity: O(n log n) for n records.
  public var statuses: [CollectionStatus] { core.statuses }

  /// How the collections stand, now and whenever that changes.
  ///
  /// The first value comes at once; values in between are left out for those who are
  /// slow. The loop ends when it is left, the task cancelled, or the store closed.
  public var statusUpdates: StoreValues<[CollectionStatus]> {
    let core = core
    return StoreValues(store: self, mayAffect: { _ in true }, read: { _ in core.statuses })
  }

  /// How a record stands with the server, now and whenever that changes.
  public func statusUpdates<Model: Replicated>(
    of type: Model.Type, _ id: Model.ID
  ) -> StoreValues<RecordStatus> {
    let (core, record) = (core, Model.record(id))
    return StoreValues(
      store: self,
      mayAffect: { $0.hasLocalChanges || ($0.records?.contains(record) ?? true) },
      read: { _ in core.status(of: record) })
  }

  /// The conflicts that nobody has settled, now and whenever that changes.
  public var conflictUpdates: StoreValues<[Document.Conflict]> {
    values { $0.conflicts }
  }
}

extension StoreCore {
  func status(of record: Document.RecordID) -> RecordStatus {
    let (operations, version, reader) = monitor.withLock {
      (outbox.operations(of: record), serverVersions[record]?.version, seen)
    }
    let isLocal = reader.isLocal(record)
    let failures = operations.compactMap(\.failure)
    let conflicts = reader.document.conflicts.count {
      Document.RecordID($0.record, in: $0.collection) == record
    }
    let pending = operations.count - failures.count
    let status: SyncStatus =
      if conflicts > 0 {
        .conflict
      } else if !failures.isEmpty {
        .failed
      } else if pending > 0 || isLocal {
        .pending
      } else {
        .synced
      }
    return RecordStatus(
      syncStatus: status, pendingCount: pending, failures: failures, conflictCount: conflicts,
      isLocalOnly: isLocal, serverVersion: version)
  }

  var statuses: [CollectionStatus] {
    let (pending, dead, counts, reader) = monitor.withLock {
      (outbox.pending, outbox.deadLetters, serverVersions.counts, seen)
    }
    let pendingCounts = Dictionary(grouping: pending, by: \.record.collection)
    let deadCounts = Dictionary(grouping: dead, by: \.record.collection)
    let conflicts = Dictionary(grouping: reader.document.conflicts, by: \.collection)
    let served = Set(options.models.served)
    let names = Set(options.models.collections).union(reader.document.collections)
    return names.sorted { $0.comes(before: $1) }.map { name in
      CollectionStatus(
        collection: name, localCount: reader.names(in: name).count,
        serverCount: served.contains(name) || counts[name] != nil ? counts[name] ?? 0 : nil,
        pendingCount: pendingCounts[name]?.count ?? 0,
        conflictCount: conflicts[name]?.count ?? 0, failedCount: deadCounts[name]?.count ?? 0,
        lastSyncedMilliseconds: monitor.withLock { lastSynced(name) })
    }
  }
}

extension Store {
  /// What the store keeps for itself, by name: for tests of the format.
  package var localValues: [String: [UInt8]] { core.monitor.withLock { core.local } }
}
