public import CRDTKit

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
}
