/// The removals by the events after a version, collected from stored deltas.
///
/// A table remembers only recent removals. If you have stored its deltas, you can collect
/// the older ones. Then the delta for a peer that was away for a long time lists the
/// removed rows instead of all live rows.
///
///     var history = RemovalHistory(since: version)
///     for delta in kept { history.append(delta) }
///     let delta = notes.delta(since: version, history: history)
@usableFromInline
package struct RemovalHistory: Sendable {
  /// The removals by one replica's events.
  struct Log: Sendable {
    /// The event up to which the log is complete.
    var seen: UInt64
    /// The removals after the log's floor.
    var kills: KillLog

    init(startingAt counter: UInt64) {
      seen = counter
      kills = KillLog(floor: counter)
    }

    /// Continues with the removals of later events, or starts again if events in between
    /// are missing; returns whether it continued.
    mutating func extend(with later: KillLog, upTo end: UInt64) -> Bool {
      guard end > seen else { return true }
      let isNext = later.floor <= seen
      if isNext {
        kills.entries.append(contentsOf: later.entries(after: seen))
      } else {
        kills = later
      }
      seen = end
      return isNext
    }
  }

  /// The version after which the history begins.
  package let base: VersionVector
  private var logs: [ReplicaID: Log] = [:]

  /// Creates an empty history that begins after a version.
  package init(since version: VersionVector = [:]) {
    base = version
  }
}

extension RemovalHistory {
  /// The number of runs of removals; each takes 32 bytes of memory.
  ///
  /// If it exceeds the number of the table's rows, a delta that lists the live rows is
  /// shorter.
  ///
  /// - Complexity: O(number of replicas).
  package var count: Int {
    logs.values.reduce(0) { $0 + $1.kills.entries.count }
  }

  @usableFromInline
  mutating func append(_ kills: KillLog, upTo seen: UInt64, of replica: ReplicaID) -> Bool {
    // In place, because a log that was taken out would be copied whole.
    logs[replica, default: Log(startingAt: base[replica])].extend(with: kills, upTo: seen)
  }

  /// Returns the removals by a replica's events after the given one.
  ///
  /// It takes them from the history up to the beginning of the table's log, then from
  /// that log; `nil` if neither has them.
  @usableFromInline
  func kills(of replica: ReplicaID, after event: UInt64, then recent: KillLog) -> KillLog? {
    if recent.floor <= event {
      return recent.part(after: event)
    }
    let log = logs[replica] ?? Log(startingAt: base[replica])
    guard log.kills.floor <= event, recent.floor <= log.seen else { return nil }
    let older = log.kills.entries(after: event)
    var entries = ContiguousArray(older.prefix { $0.event <= recent.floor })
    entries.append(contentsOf: recent.entries)
    return KillLog(floor: event, entries: entries)
  }
}
