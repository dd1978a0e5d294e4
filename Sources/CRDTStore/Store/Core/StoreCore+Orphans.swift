import CRDTKit

extension StoreCore {
  /// Tells the app of records that were purged on one side and edited on the other, where
  /// a delta has just brought the two together.
  ///
  /// Where there is more, such as many records at once, only the records that the delta
  /// has changed are looked at, if these are known. The monitor is held.
  func tellOfOrphans(among records: Set<Document.RecordID>?, since before: Document) {
    let orphans: [Document.RecordID]
    if let records {
      orphans = records.filter { record in
        working.isOrphaned(record) && !before.isOrphaned(record)
      }
    } else {
      let known = Set(before.orphanedRecords.map(\.id))
      orphans = working.orphanedRecords.map(\.id).filter { !known.contains($0) }
    }
    if !orphans.isEmpty { tell(.recordsOrphaned(orphans.sorted())) }
  }
}
