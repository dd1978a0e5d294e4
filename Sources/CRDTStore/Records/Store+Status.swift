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

/// What there is to be told of a collection's records together.
public struct CollectionStatus: Hashable, Sendable {
  /// The name of the collection.
  public var collection: String
  /// How many records there are here.
  public var localCount: Int
  /// How many the server is known to have; `nil` where it has no part in them.
  public var serverCount: Int?
  /// How many changes wait to be sent.
  public var pendingCount: Int
  /// How many fields wait for someone to choose.
  public var conflictCount: Int
  /// How many changes the server refused.
  public var failedCount: Int
  /// When all of it was last in sync with the server, in milliseconds since 1970.
  public var lastSyncedMilliseconds: UInt64?
}

extension CollectionStatus {
  /// Whether what is shown is older than a span of time, and should be marked so, or
  /// fetched anew; also where it never came.
  ///
  /// - Parameters:
  ///   - span: Five minutes unless said otherwise.
  ///   - now: Milliseconds since 1970.
  /// - Returns: Whether it is.
  public func isStale(after span: Duration = .seconds(300), at now: UInt64) -> Bool {
    guard let lastSyncedMilliseconds else { return true }
    return Int128(now) - Int128(lastSyncedMilliseconds) > span.wholeMilliseconds
  }
}

extension CollectionStatus: CustomStringConvertible {
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

/// What there is to be told of a record beside its fields.
public struct RecordStatus: Hashable, Sendable {
  /// How it stands with the server: the gravest that is so.
  public var syncStatus: SyncStatus
  /// How many of its changes wait to be sent.
  public var pendingCount: Int
  /// What the server refused, and why; the oldest first.
  public var failures: [OperationFailure]
  /// How many of its fields wait for someone to choose.
  public var conflictCount: Int
  /// Whether it is kept here alone.
  public var isLocalOnly: Bool
  /// The version that the server gave it last.
  public var serverVersion: String?
}

/// How a record stands with the server.
public enum SyncStatus: String, Hashable, Codable, Sendable, CaseIterable {
  /// Nothing of it waits.
  case synced
  /// A change of it waits to be sent, or it is kept here alone.
  case pending
  /// Two values of one of its fields wait for someone to choose.
  case conflict
  /// The server refused a change of it.
  case failed
}

extension Store {
  /// What merges have broken of what a model keeps to: records that are not valid, and
  /// values that should be unique and are not.
  ///
  /// Ask after a merge, and let the user or the server decide.
  ///
  /// - Complexity: O(n log n) for n records.
  public func violations<Model: Replicated>(in type: Model.Type) -> [RecordViolation] {
    let reader = core.reader
    var violations: [RecordViolation] = []
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
