public import CRDTKit

extension Store {
  /// The conflicts of a model's fields that nobody has settled: the same on all
  /// replicas.
  ///
  ///     for conflict in store.conflicts(of: Note.self) {
  ///       try await store.resolve(conflict, keeping: conflict.sides[0])
  ///     }
  ///
  /// - Complexity: Expected O(fields with concurrent values).
  public func conflicts<Model: Replicated>(of type: Model.Type) -> [Document.Conflict] {
    core.document.conflicts.filter { $0.collection == Model.collection }
  }

  /// The conflicts of a record's fields that nobody has settled.
  ///
  /// - Complexity: Expected O(fields with concurrent values).
  public func conflicts<Model: Replicated>(
    of type: Model.Type, _ id: Model.ID
  ) -> [Document.Conflict] {
    let record = Model.record(id)
    return core.document.conflicts.filter {
      Document.RecordID($0.record, in: $0.collection) == record
    }
  }

  /// Settles a conflict by one of its sides, for all replicas.
  ///
  /// - Throws: ``RecordError/noConflict(_:_:)`` where it was settled meanwhile;
  ///   ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func resolve(
    _ conflict: Document.Conflict, keeping side: Document.Alternative
  ) async throws -> Receipt {
    try await resolve(conflict, with: side.value)
  }

  /// Settles a conflict by one of its sides, and waits in place.
  @discardableResult
  public func resolve(
    _ conflict: Document.Conflict, keeping side: Document.Alternative
  ) throws -> Receipt {
    try resolve(conflict, with: side.value)
  }

  /// Settles a conflict by a value, for all replicas.
  ///
  /// - Throws: ``RecordError/noConflict(_:_:)`` where it was settled meanwhile;
  ///   ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func resolve(
    _ conflict: Document.Conflict, with value: Document.Value
  ) async throws -> Receipt {
    try await write { try $0.resolve(conflict, with: value) }
  }

  /// Settles a conflict by a value, and waits in place.
  @discardableResult
  public func resolve(
    _ conflict: Document.Conflict, with value: Document.Value
  ) throws -> Receipt {
    try write { try $0.resolve(conflict, with: value) }
  }
}

extension Store {
  /// What is left of records that were purged: edits of which the purge had not known.
  ///
  /// Their writer was away for longer than deletions are kept. All replicas list the same,
  /// and ``StoreEvent/recordsOrphaned(_:)`` names those that are new here.
  ///
  ///     for orphan in store.orphanedRecords(of: Note.self) {
  ///       if wants(orphan.fields) {
  ///         try await store.restore(orphan)
  ///       } else {
  ///         try await store.discard(orphan)
  ///       }
  ///     }
  ///
  /// - Complexity: O(rows of the document).
  public func orphanedRecords<Model: Replicated>(
    of type: Model.Type
  ) -> [Document.OrphanedRecord] {
    core.document.orphanedRecords.filter { $0.collection == Model.collection }
  }

  /// Makes a record of what is left of one that was purged: see
  /// ``Transaction/restore(_:)``.
  ///
  /// - Throws: ``RecordError``; `DecodingError` where too little is left; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func restore(
    _ orphan: Document.OrphanedRecord
  ) async throws -> Receipt {
    try await write { try $0.restore(orphan) }
  }

  /// Makes a record of what is left of one that was purged, and waits in place.
  @discardableResult
  public func restore(_ orphan: Document.OrphanedRecord) throws -> Receipt {
    try write { try $0.restore(orphan) }
  }

  /// Removes for good what is left of a record that was purged, for all replicas: see
  /// ``Transaction/discard(_:)``.
  ///
  /// - Throws: ``RecordError``; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func discard(
    _ orphan: Document.OrphanedRecord
  ) async throws -> Receipt {
    try await write { try $0.discard(orphan) }
  }

  /// Removes for good what is left of a record that was purged, and waits in place.
  @discardableResult
  public func discard(_ orphan: Document.OrphanedRecord) throws -> Receipt {
    try write { try $0.discard(orphan) }
  }
}

extension StoreCore {
  /// How many records are told of that can't be read; then there is no telling more.
  static var unreadableMax: Int { 1_024 }

  /// Tells the app, once a record, that its model can't be read and is left out.
  func tellUnreadable(_ record: Document.RecordID, _ error: any Error) {
    let isNews = unreadable.withLock { known in
      known.count < Self.unreadableMax && known.insert(record).inserted
    }
    guard isNews else { return }
    let (field, reason) = Self.place(of: error)
    tell(.recordUnreadable(record, field: field, reason: reason))
  }

  /// Which field an error is about, and what is wrong with it.
  private static func place(of error: any Error) -> (FieldPath, String) {
    let path = { (keys: [any CodingKey]) in FieldPath(keys.map(\.stringValue)) }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?:
      return (path(context.codingPath + [key]), "it has no value, and no default beside the rules")
    case .valueNotFound(_, let context)?, .typeMismatch(_, let context)?,
      .dataCorrupted(let context)?:
      return (path(context.codingPath), context.debugDescription)
    default: return ([], "\(error)")
    }
  }
}
