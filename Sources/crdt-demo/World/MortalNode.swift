import CRDTKit

/// A node of a world that keeps aside what a crash leaves of its value.
protocol MortalNode: ReplicaNode {
  var place: Int { get }
  var replica: ReplicaID { get set }
  var value: Value { get set }
  var restores: Int { get set }
  /// What a crash leaves, where there are any.
  var durable: Value { get set }
  /// What it may be started from again, as an older copy.
  var backup: Value { get set }
  var clock: HybridLogicalClock { get set }
  var ticks: Int { get }
  var settings: NodeSettings { get }

  /// Becomes what a crash leaves.
  mutating func startOver()
}

extension MortalNode {
  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    switch kind {
    case .crash: break
    case .torn:
      let stamp = clock.now(wallMilliseconds: WorldClock.beginning)
      _ = value.change(draw, among: settings.keys, at: stamp)
    case .restore:
      restores += 1
      durable = backup
      replica = ReplicaID(replica.rawValue + 1_000)
      clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
    }
    if settings.sabotage == .forgetful, place == 0, ticks > 5 { durable = backup }
    startOver()
  }
}
