import CRDTKit

/// The events of a replica in some operations.
struct EventRanges {
  /// In ascending order; no two have an event in common.
  private var ranges: [ClosedRange<UInt64>] = []

  init(of replica: ReplicaID, in operations: [Outbox.Operation]) {
    let ranges = operations.filter { $0.id.dot.replica == replica }.map(\.dots)
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard let last = self.ranges.last, last.upperBound >= range.lowerBound else {
        self.ranges.append(range)
        continue
      }
      self.ranges[self.ranges.count - 1] =
        last.lowerBound...max(last.upperBound, range.upperBound)
    }
  }

  /// Whether an event is among them: O(log n), as it is asked for each character of a text.
  func contains(_ event: UInt64) -> Bool {
    let place = ranges.indices.partitioningIndex { ranges[$0].upperBound >= event }
    return place < ranges.count && ranges[place].lowerBound <= event
  }
}
