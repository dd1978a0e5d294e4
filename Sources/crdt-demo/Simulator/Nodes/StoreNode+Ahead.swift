import CRDTKit
import CRDTStore

extension StoreNode {
  /// How far ahead a clock is at least that a store must warn of, in milliseconds.
  static var warnedAheadMin: Int64 { 600_000 }

  /// Notes an edit that was made under a clock that was far ahead.
  mutating func noteAhead(_ context: Context) {
    guard context.aheadMilliseconds >= Self.warnedAheadMin else { return }
    restampTick = ticks + 3
    if let store, store.clockWarning == nil {
      failures.append("the store doesn't warn of a clock that is far ahead")
    }
  }

  /// Writes anew what was stamped in the future, as an app does that was warned.
  mutating func restampIfDue(_ context: Context) {
    guard let restampTick, ticks >= restampTick, let store else { return }
    self.restampTick = nil
    let before = store.document.version
    do throws(StoreError) { _ = try store.restampFutureWrites() } catch {
      failures.append("what is stamped in the future can't be written anew: \(error)")
    }
    settle()
    if store.clockWarning != nil { failures.append("the store still warns of its clock") }
    let events = value.version[replica] - before[replica]
    let serial = takeSerial()
    let wall = context.wallMilliseconds
    record([
      RecordedEdit(
        replica: replica, counter: value.version[replica], observed: before,
        change: OracleChange(key: -3, kind: .add),
        // Later than all that stays, so it is no time of the clock alone.
        stamp: value.delta(since: before).latestTimestamp
          ?? HybridTimestamp(milliseconds: wall, replica: replica), serial: serial,
        place: place, events: events, restampsBeyond: (wall + 300_000) << 16 | 0xFFFF)
    ])
  }

  /// Whether a failure is what a clock that is ahead brings.
  func isOfClock(_ failure: SyncFailure) -> Bool {
    switch failure {
    case .refused, .endedByPeer(.refused): settings.hasAhead
    default: false
    }
  }
}
