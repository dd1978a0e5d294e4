/// What the events after a version killed, gathered from deltas that were kept.
///
/// A table remembers only what recent events killed. Whoever has kept its deltas
/// can gather the rest: with that, the delta for a peer that was away for long
/// lists what died, and not all that lives.
///
///     var history = RemovalHistory(since: version)
///     for delta in kept { history.append(delta) }
///     let delta = notes.delta(since: version, history: history)
@usableFromInline
package struct RemovalHistory: Sendable {
  /// What one replica's events killed.
  struct Log: Sendable {
    /// The event up to which the log is whole.
    var seen: UInt64
    /// What was killed after the log's floor.
    var kills: KillLog

    init(startingAt counter: UInt64) {
      seen = counter
      kills = KillLog(floor: counter)
    }

    /// Goes on with what later events killed, or begins anew where some are missing
    /// between; says whether it went on.
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

  /// The version after which it begins.
  package let base: VersionVector
  private var logs: [ReplicaID: Log] = [:]

  /// Creates the history of nothing, to be continued from a version on.
  package init(since version: VersionVector = [:]) {
    base = version
  }
}

extension RemovalHistory {
  /// How many runs of removals it holds; each takes 32 bytes of memory.
  ///
  /// Where they are more than the rows of a table, a delta that lists what lives is
  /// the shorter one.
  ///
  /// - Complexity: O(number of replicas).
  package var count: Int {
    logs.values.reduce(0) { $0 + $1.kills.entries.count }
  }

  @usableFromInline
  mutating func append(_ kills: KillLog, upTo seen: UInt64, of replica: ReplicaID) -> Bool {
    // In place: a log that was taken out would be copied whole.
    logs[replica, default: Log(startingAt: base[replica])].extend(with: kills, upTo: seen)
  }

  /// What a replica's events after the given one killed, up to where its own log
  /// begins and then by that; `nil` where neither knows.
  @usableFromInline
  func kills(of replica: ReplicaID, after event: UInt64, then recent: KillLog) -> KillLog? {
    if recent.floor <= event {
      return KillLog(floor: event, entries: ContiguousArray(recent.entries(after: event)))
    }
    let log = logs[replica] ?? Log(startingAt: base[replica])
    guard log.kills.floor <= event, recent.floor <= log.seen else { return nil }
    let older = log.kills.entries(after: event)
    var entries = ContiguousArray(older.prefix { $0.event <= recent.floor })
    entries.append(contentsOf: recent.entries)
    return KillLog(floor: event, entries: entries)
  }
}
