public import CRDTKit

extension Store {
  /// The unresolved conflicts in a model's fields: the same ones on all replicas.
  ///
  ///     for conflict in store.conflicts(of: Note.self) {
  ///       try await store.resolve(conflict, keeping: conflict.sides[0])
  ///     }
  ///
  /// - Complexity: Expected O(fields with concurrent values).
  public func conflicts<Model: Replicated>(of type: Model.Type) -> [Document.Conflict] {
    core.document.conflicts.filter { $0.collection == Model.collection }
  }

  /// The unresolved conflicts in a record's fields.
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

  /// Resolves a conflict by one of its sides, for all replicas.
  ///
  /// - Throws: ``RecordError/noConflict(_:_:)`` if it was resolved meanwhile;
  ///   ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func resolve(
    _ conflict: Document.Conflict, keeping side: Document.Alternative
  ) async throws -> Store.Receipt {
    try await resolve(conflict, with: side.value)
  }

  /// Resolves a conflict by one of its sides, and waits in place.
  @discardableResult
  public func resolve(
    _ conflict: Document.Conflict, keeping side: Document.Alternative
  ) throws -> Store.Receipt {
    try resolve(conflict, with: side.value)
  }

  /// Resolves a conflict by a value, for all replicas.
  ///
  /// - Throws: ``RecordError/noConflict(_:_:)`` if it was resolved meanwhile;
  ///   ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func resolve(
    _ conflict: Document.Conflict, with value: Document.Value
  ) async throws -> Store.Receipt {
    try await write { try $0.resolve(conflict, with: value) }
  }

  /// Resolves a conflict by a value, and waits in place.
  @discardableResult
  public func resolve(
    _ conflict: Document.Conflict, with value: Document.Value
  ) throws -> Store.Receipt {
    try write { try $0.resolve(conflict, with: value) }
  }
}

extension Store {
  /// The remains of purged records: edits that the purge had not known of.
  ///
  /// Their writer was away for longer than deletions are kept. All replicas list the same
  /// ones. ``Store/Event/recordsOrphaned(_:)`` names those that are new here.
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

  /// Makes a record of the remains of a purged one.
  ///
  /// See ``Store/Transaction/restore(_:)``.
  ///
  /// - Throws: ``RecordError``; `DecodingError` if too little is left; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func restore(
    _ orphan: Document.OrphanedRecord
  ) async throws -> Store.Receipt {
    try await write { try $0.restore(orphan) }
  }

  /// Makes a record of the remains of a purged one, and waits in place.
  @discardableResult
  public func restore(_ orphan: Document.OrphanedRecord) throws -> Store.Receipt {
    try write { try $0.restore(orphan) }
  }

  /// Permanently removes the remains of a purged record, for all replicas.
  ///
  /// See ``Store/Transaction/discard(_:)``.
  ///
  /// - Throws: ``RecordError``; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func discard(
    _ orphan: Document.OrphanedRecord
  ) async throws -> Store.Receipt {
    try await write { try $0.discard(orphan) }
  }

  /// Permanently removes the remains of a purged record, and waits in place.
  @discardableResult
  public func discard(_ orphan: Document.OrphanedRecord) throws -> Store.Receipt {
    try write { try $0.discard(orphan) }
  }
}

extension StoreCore {
  /// The maximum number of unreadable records that are reported; then no more are.
  static var unreadableMax: Int { 1_024 }

  /// Reports, once per record, that its model can't be read and is left out.
  func tellUnreadable(_ record: Document.RecordID, _ error: any Error) {
    let isNews = unreadable.withLock { known in
      known.count < Self.unreadableMax && known.insert(record).inserted
    }
    guard isNews else { return }
    let (field, reason) = Self.place(of: error)
    tell(.recordUnreadable(record, field: field, reason: reason))
  }

  /// The field that an error is about, and the reason.
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
