public import CRDTKit

/// What commits have changed in a store's document: one commit, or several between
/// which nobody asked.
public struct StoreChange: Hashable, Sendable {
  /// The records that were changed, created, deleted, restored or purged; `nil`
  /// where they are too many to be listed, and any may have changed.
  public private(set) var records: Set<Document.RecordID>?

  /// Whether something changed that the store keeps for itself: what waits to be
  /// sent, what the server knows, drafts, settings.
  public internal(set) var hasLocalChanges = false

  /// How many records are listed at most.
  public static var recordsMax: Int { 1_024 }

  /// Creates the change of some records; of any, where they are `nil` or too many.
  init(_ records: Set<Document.RecordID>?) {
    self.records = records.flatMap { $0.count <= Self.recordsMax ? $0 : nil }
  }

  /// Whether a record may have changed.
  public func mayAffect(_ record: String, in collection: String) -> Bool {
    records?.contains(Document.RecordID(record, in: collection)) ?? true
  }

  /// Whether a record of a collection may have changed.
  ///
  /// - Complexity: O(number of records listed).
  public func mayAffect(collection: String) -> Bool {
    records?.contains { $0.collection == collection } ?? true
  }

  mutating func merge(_ other: StoreChange) {
    if other.hasLocalChanges { hasLocalChanges = true }
    guard let mine = records, let theirs = other.records else {
      records = nil
      return
    }
    let merged = StoreChange(mine.union(theirs))
    records = merged.records
  }
}
