import CRDTKit

/// The latest commits of some kind, as long as nothing else changed the document.
struct CommitRun {
  private var replica: ReplicaID?
  /// The counter of the run's first event.
  private var first: UInt64 = 0
  /// The number of the document's events after the run's last commit.
  ///
  /// Any other change makes more.
  private var eventCount: UInt64 = 0

  /// Adds the latest commit with its events; begins anew with it if something else has
  /// changed the document.
  mutating func extend(
    by replica: ReplicaID, _ counters: ClosedRange<UInt64>, of document: Document
  ) {
    let count = document._table.eventCount
    if self.replica != replica || eventCount + UInt64(counters.count) != count {
      self.replica = replica
      first = counters.lowerBound
    }
    eventCount = count
  }

  /// Whether some events are of the run, and nothing has changed the document since.
  func has(
    _ counters: ClosedRange<UInt64>, by replica: ReplicaID, of document: Document
  ) -> Bool {
    replica == self.replica && counters.lowerBound >= first
      && document._table.eventCount == eventCount
  }
}
