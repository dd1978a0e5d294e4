public import CRDTKit

extension Store {
  /// The sync status of a record with the server.
  ///
  /// - Complexity: O(operations of the record), and O(fields with concurrent values).
  public func status<Model: Replicated>(of type: Model.Type, _ id: Model.ID) -> Store.RecordStatus {
    core.status(of: Model.record(id))
  }

  /// The status of each collection, by name: those of the store's models, and others that
  /// have records.
  ///
  /// - Complexity: O(n log n) for n records.
  public var statuses: [Store.CollectionStatus] { core.statuses }

  /// The status of each collection, now and whenever one changes.
  ///
  /// The first value comes at once. A slow reader skips values in between. The loop ends
  /// when you leave it, the task is cancelled, or the store is closed.
  public var statusUpdates: Store.Values<[Store.CollectionStatus]> {
    let core = core
    return Store.Values(store: self, mayAffect: { _ in true }, read: { _ in core.statuses })
  }

  /// The sync status of a record with the server, now and whenever it changes.
  public func statusUpdates<Model: Replicated>(
    of type: Model.Type, _ id: Model.ID
  ) -> Store.Values<Store.RecordStatus> {
    let (core, record) = (core, Model.record(id))
    return Store.Values(
      store: self,
      mayAffect: { $0.hasLocalChanges || ($0.records?.contains(record) ?? true) },
      read: { _ in core.status(of: record) })
  }

  /// The unresolved conflicts, now and whenever they change.
  public var conflictUpdates: Store.Values<[Document.Conflict]> {
    values { $0.conflicts }
  }
}

extension StoreCore {
  func status(of record: Document.RecordID) -> Store.RecordStatus {
    let (operations, version, reader) = monitor.withLock {
      (outbox.operations(of: record), serverVersions[record]?.version, seen)
    }
    let isLocal = reader.isLocal(record)
    let failures = operations.compactMap(\.failure)
    let conflicts = reader.document.conflicts.count {
      Document.RecordID($0.record, in: $0.collection) == record
    }
    let pending = operations.count - failures.count
    let status: Store.SyncStatus =
      if conflicts > 0 {
        .conflict
      } else if !failures.isEmpty {
        .failed
      } else if pending > 0 || isLocal {
        .pending
      } else {
        .synced
      }
    return Store.RecordStatus(
      syncStatus: status, pendingCount: pending, failures: failures, conflictCount: conflicts,
      isLocalOnly: isLocal, serverVersion: version)
  }

  var statuses: [Store.CollectionStatus] {
    let (pending, dead, counts, reader) = monitor.withLock {
      (outbox.pending, outbox.deadLetters, serverVersions.counts, seen)
    }
    let pendingCounts = Dictionary(grouping: pending, by: \.record.collection)
    let deadCounts = Dictionary(grouping: dead, by: \.record.collection)
    let conflicts = Dictionary(grouping: reader.document.conflicts, by: \.collection)
    let served = Set(options.models.served)
    let names = Set(options.models.collections).union(reader.document.collections)
    return names.sorted { $0.comes(before: $1) }.map { name in
      Store.CollectionStatus(
        collection: name, localCount: reader.names(in: name).count,
        serverCount: served.contains(name) || counts[name] != nil ? counts[name] ?? 0 : nil,
        pendingCount: pendingCounts[name]?.count ?? 0,
        conflictCount: conflicts[name]?.count ?? 0, failedCount: deadCounts[name]?.count ?? 0,
        lastSyncedMilliseconds: monitor.withLock { lastSynced(name) })
    }
  }
}

extension Store {
  /// The store's local values, by name: for tests of the format.
  package var localValues: [String: [UInt8]] { core.monitor.withLock { core.local } }
}

extension Store {
  /// The status of a collection's records.
  public struct CollectionStatus: Hashable, Sendable, Identifiable {
    /// The name of the collection.
    public var collection: String
    /// The name of the collection.
    public var id: String { collection }
    /// The number of records in this store.
    public var localCount: Int
    /// The number of records that the server is known to have; `nil` if it has no part in
    /// them.
    public var serverCount: Int?
    /// The number of changes that wait to be sent.
    public var pendingCount: Int
    /// The number of fields with an unresolved conflict.
    public var conflictCount: Int
    /// The number of changes that the server refused.
    public var failedCount: Int
    /// The last time all of it was in sync with the server, in milliseconds since 1970.
    public var lastSyncedMilliseconds: UInt64?
  }
}

extension Store.CollectionStatus {
  /// Whether the shown records are older than a time span, or never arrived.
  ///
  /// Mark such records, or fetch them again.
  ///
  /// - Parameters:
  ///   - span: Five minutes by default.
  ///   - now: Milliseconds since 1970.
  /// - Returns: Whether they are.
  public func isStale(after span: Duration = .seconds(300), at now: UInt64) -> Bool {
    guard let lastSyncedMilliseconds else { return true }
    return Int128(now) - Int128(lastSyncedMilliseconds) > span.wholeMilliseconds
  }
}

extension Store.CollectionStatus: CustomStringConvertible {
  /// The collection, and the counts that are not 0.
  public var description: String {
    var parts = ["\(localCount) here"]
    if let serverCount { parts.append("\(serverCount) at the server") }
    if pendingCount > 0 { parts.append("\(pendingCount) to be sent") }
    if conflictCount > 0 { parts.append("\(conflictCount) in conflict") }
    if failedCount > 0 { parts.append("\(failedCount) refused") }
    return "\(collection.visible): \(parts.joined(separator: ", "))"
  }
}

extension Store {
  /// The status of a record, besides its fields.
  public struct RecordStatus: Hashable, Sendable {
    /// The sync status with the server: the most serious one that applies.
    public var syncStatus: Store.SyncStatus
    /// The number of its changes that wait to be sent.
    public var pendingCount: Int
    /// The changes that the server refused, and why; oldest first.
    public var failures: [Outbox.Failure]
    /// The number of its fields with an unresolved conflict.
    public var conflictCount: Int
    /// Whether the record is kept in this store only.
    public var isLocalOnly: Bool
    /// The last version that the server gave the record.
    public var serverVersion: String?
  }

  /// The sync status of a record with the server.
  @nonexhaustive
  public enum SyncStatus: String, Hashable, Codable, Sendable, CaseIterable {
    /// No change of it waits.
    case synced
    /// A change of it waits to be sent, or it is kept in this store only.
    case pending
    /// One of its fields has an unresolved conflict between two values.
    case conflict
    /// The server refused a change of it.
    case failed
  }
}

extension Store {
  /// The rules of a model that merges have broken: records that are not valid, and values
  /// that should be unique and are not.
  ///
  /// Call this after a merge, and let the user or the server decide.
  ///
  /// - Complexity: O(n log n) for n records.
  public func violations<Model: Replicated>(in type: Model.Type) -> [RecordError.Violation] {
    let reader = core.reader
    var violations: [RecordError.Violation] = []
    var holders: [String: [Document.Value: [String]]] = [:]
    for name in reader.names(in: Model.collection).sorted(by: { $0.comes(before: $1) }) {
      let record = Document.RecordID(name, in: Model.collection)
      do {
        guard let model = try reader.model(type, record) else { continue }
        do {
          try model.validate()
        } catch {
          violations.append(.invalid(record: name, reason: "\(error)"))
        }
      } catch {
        violations.append(.unreadable(record: name, reason: "\(error)"))
      }
      for field in Model.rules.unique {
        guard let value = reader.value(of: field, of: record), value != .null else { continue }
        holders[field, default: [:]][value, default: []].append(name)
      }
    }
    for field in Model.rules.unique {
      let duplicates = (holders[field] ?? [:]).values.filter { $0.count > 1 }
      for records in duplicates.sorted(by: { $0[0].comes(before: $1[0]) }) {
        violations.append(.duplicate(field: field, records: records))
      }
    }
    return violations
  }
}
