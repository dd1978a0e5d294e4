extension Document {
  /// What came of taking back what a commit did to a record.
  package struct TakingBack: Hashable, Sendable {
    /// What was done for it, in order: the changes that undo the taking back.
    package var done: [FieldChange] = []
    /// The fields that could not be taken back: what the commit did to them isn't there
    /// any more, or isn't its alone.
    package var left: [FieldPath] = []
    /// When what was taken back was written.
    package var time: UInt64 = 0
    /// A counter that has no room to be counted back.
    package var overflow: FieldPath?

    package init() {}

    mutating func leave(_ path: FieldPath) {
      if !left.contains(path) { left.append(path) }
    }
  }

  /// Whether a record is the one that a commit has made or restored, and nobody but its
  /// writer has written in it since; what an authority has confirmed is the writer's.
  ///
  /// - Complexity: O(rows of the record)
  package func isOwn(
    _ record: RecordID, of events: CommitEvents, knowing mark: CommitMark
  ) -> Bool {
    let place = Place(record: record.record, in: record.collection)
    return table.isSame(place, knowing: mark, events)
      && table.dots(under: place.hash) { $0.part != .deletion && $0.place.isWithin(place) }
        .allSatisfy { dot in
          dot.replica == events.replica || dot.replica.isDelegate || mark.seen.contains(dot)
            || table.row(at: dot)?.payload.content.saysNothing == true
        }
  }

  /// Whether a record is the one that a commit has changed, and not another one that was
  /// made since under its name.
  package func isSame(
    _ record: RecordID, of events: CommitEvents, knowing mark: CommitMark
  ) -> Bool {
    table.isSame(Place(record: record.record, in: record.collection), knowing: mark, events)
  }

  /// Whether a record is deleted by a commit, and by nobody else.
  package func isDeleted(_ record: RecordID, by events: CommitEvents) -> Bool {
    let place = Place(record: record.record, in: record.collection)
    let deletions = table.dots(of: RowKey(place, .deletion))
    return !deletions.isEmpty && deletions.allSatisfy { events.contains($0) }
      && deletion(of: record.record, in: record.collection) != nil
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// Whether a record is the one that a commit has changed, and not another one that was
  /// made since under its name.
  func isSame(
    _ record: Document.Place, knowing mark: Document.CommitMark, _ events: Document.CommitEvents
  ) -> Bool {
    let births = dots(of: Document.RowKey(record, .existence))
    if mark.births.isEmpty {
      return births.contains {
        $0.replica != events.replica || $0.counter <= events.counters.upperBound
      }
    }
    return births.contains { mark.births.contains($0) }
  }
}

extension Document.RowPayload.Content {
  /// Whether the row is there for others: a set without its elements, a counter's trace.
  fileprivate var saysNothing: Bool {
    if case .set = self { true } else { isTrace }
  }
}
