import CRDTKit

extension StoreCore {
  /// Forgets what the server is known to have of records that it has deleted, too, and of
  /// which nothing is left here once they were purged.
  ///
  /// A record of which something waits to be sent, or is a dead letter, is kept in mind. The
  /// monitor is held, and the store can be written.
  func forgetPurgedRecords() {
    let gone = serverVersions.deletedRecords.filter { record in
      !working.contains(record.record, in: record.collection)
        && working.deletion(of: record.record, in: record.collection) == nil
        && !working.isOrphaned(record) && outbox.operations(of: record).isEmpty
    }
    for record in gone { serverVersions[record] = nil }
    _ = commitLocally(gone.sorted().map { ServerVersions.removal(of: $0) }, .relaxed)
  }
}
