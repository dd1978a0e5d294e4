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
}
