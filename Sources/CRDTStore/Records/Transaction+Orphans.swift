public import CRDTKit

extension Transaction {
  /// Makes a record of what is left of one that was purged, for all replicas.
  ///
  /// It has just the fields that ``CRDTKit/Document/OrphanedRecord/fields`` shows. Where
  /// these are too few for a model, create a record of that name from them instead: it
  /// takes the place of what is left.
  ///
  /// - Throws: ``RecordError/noOrphan(_:)`` where it was restored or discarded meanwhile,
  ///   or a record of its name was made; ``RecordError``; `DecodingError` where what is
  ///   left is no model of the collection; what `validate()` throws.
  public mutating func restore(_ orphan: Document.OrphanedRecord) throws {
    try requireOrphan(orphan)
    try stage(.restoreOrphan(orphan), as: models[orphan.collection]?.type)
    sharing[orphan.id] = true
  }

  /// Removes for good what is left of a record that was purged, for all replicas.
  ///
  /// What others have written to it and isn't part of the orphan stays, as another one.
  ///
  /// - Throws: ``RecordError/noOrphan(_:)`` where it was restored or discarded meanwhile,
  ///   or a record of its name was made; ``RecordError``.
  public mutating func discard(_ orphan: Document.OrphanedRecord) throws {
    try requireOrphan(orphan)
    staged.append(.discardOrphan(orphan))
  }

  private mutating func requireOrphan(_ orphan: Document.OrphanedRecord) throws(RecordError) {
    try requireShared(orphan.id)
    let isDecided = staged.contains { $0.record == orphan.id }
    guard !isDecided, !isKeptHere(orphan.id), document.isOrphaned(orphan.id) else {
      throw .noOrphan(orphan.id)
    }
  }
}
