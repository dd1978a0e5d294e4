import CRDTKit

/// The last events of a log: a copy that has them has applied every change in the log.
///
/// A change may be applied only after those before it. Each would have to name the version
/// before it, which lists all replicas that ever wrote. But a copy has the events of a
/// change only if it has applied the change. So a change names the events of the one before
/// it, and these imply the rest. (They are the maximal events of the causal order, as in
/// Mattern, "Virtual Time and Global States of Distributed Systems", 1989.)
struct LogFrontier: Sendable {
  /// The events; `nil` if none are known but those of the whole version.
  private var events: VersionVector?

  /// The most events that are remembered: searching more for each change would cost more
  /// than writing the whole version once.
  private static let countMax = 64

  /// The frontier that only the whole version implies.
  init() {}

  /// The frontier of a log whose changes so far have a version.
  init(_ version: VersionVector) {
    events = version
  }

  /// Notes a change that stands in the log with its own base.
  mutating func note(_ change: TableDelta<Document>) {
    guard var rest = events else { return }
    rest.entries.removeAll { $0.counter <= change.base[$0.replica] }
    let news = change.version
    // Later events of the same replica don't show that these were applied.
    guard rest.count <= Self.countMax, !rest.contains(where: { news[$0.replica] > 0 }) else {
      events = nil
      return
    }
    rest.merge(news)
    events = rest
  }

  /// Forgets the events: the next change names the whole version.
  mutating func forget() {
    events = nil
  }

  /// Returns a change with a base that implies all changes before it in the log, and notes
  /// it.
  ///
  /// The change has only events that were new to the store. `version` is the store's
  /// version, with or without the change.
  mutating func append(
    _ change: TableDelta<Document>, in version: () -> VersionVector
  ) -> TableDelta<Document> {
    guard change.listsRemovals else {
      note(change)
      return change.withoutBaseMarks
    }
    var base = events ?? version()
    for entry in change.version { base[entry.replica] = change.base[entry.replica] }
    events = change.version
    return change.based(on: base)
  }
}
